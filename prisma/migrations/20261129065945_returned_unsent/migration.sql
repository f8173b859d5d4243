-- How many of a line came back to stock without having been sent.
alter table order_line_items add column returned_unsent integer not null default 0;
-- checked: no version before writes it
alter table order_line_items add constraint order_line_items_returned_unsent_check check (returned_unsent between 0 and quantity) not valid;
