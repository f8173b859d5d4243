-- How many of a line were taken out of stock; not known of the orders of earlier versions.
alter table order_line_items add column taken_quantity integer;
-- checked: no version before writes it
alter table order_line_items add constraint order_line_items_taken_quantity_check check (taken_quantity between 0 and quantity) not valid;
