-- Whether a step of a funnel shows the page, for lists of those that one does and of those that none does. The steps say it; it is repeated
-- at the page, because no index of pages has what stands in another table.
alter table pages add column is_shown boolean not null default false;
