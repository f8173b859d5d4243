-- The rows of an erased contact are blanked in batches, and hidden until then.
alter table contact_erasures add column rows_left boolean not null default false;
-- checked: few contacts are erased
create index contact_erasures_left_idx on contact_erasures (erased_at) where done_at is null or rows_left;

-- Personal data in a row is not older than this: the row was created then, or blanked. Null in rows that are older than the column.
alter table orders add column personal_since timestamptz;
alter table orders alter column personal_since set default clock_timestamp();
alter table order_transactions add column personal_since timestamptz;
alter table order_transactions alter column personal_since set default clock_timestamp();
alter table order_restocks add column personal_since timestamptz;
alter table order_restocks alter column personal_since set default clock_timestamp();
alter table fulfillments add column personal_since timestamptz;
alter table fulfillments alter column personal_since set default clock_timestamp();

-- Pages that were deleted, until their visitors are deleted, too.
create table deleted_pages (
  workspace_id bigint not null,
  page_id bigint not null,
  constraint deleted_pages_pkey primary key (workspace_id, page_id),
  constraint deleted_pages_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete cascade on update no action
);
-- checked: no running version knows the table
call open_to_tenants('deleted_pages', 'select, insert');

-- Deleting a page would delete millions of visitors in one statement.
-- checked: what a version before leaves of a page's visitors is deleted by age
alter table page_visitors drop constraint page_visitors_workspace_id_page_id_fkey;

-- When the visitor first came. Of older rows: today.
alter table page_visitors add column first_on date not null default current_date;
