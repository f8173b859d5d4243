-- Visits to pages, as they arrived. They refer to nothing by foreign keys: thousands are written a second, and a page or a contact may be
-- gone before they are dropped. A page takes a uuid once in 24 hours: whoever writes holds the page's lock, and looks for it first.
create table visits (
  workspace_id bigint not null,
  page_id bigint not null,
  uuid uuid not null,
  -- Who it was: a contact, or somebody of whom only the renderer's own id is known.
  contact_id bigint,
  visitor_id text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  utm_term text,
  utm_content text,
  referrer text,
  ip text,
  user_agent text,
  landing_page text,
  started_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  constraint visits_pkey primary key (workspace_id, page_id, uuid, created_at),
  constraint visits_visitor_id_check check ((visitor_id is null) <> (contact_id is null))
) partition by range (created_at);
create table visits_default partition of visits default;
create index visits_workspace_id_contact_id_idx on visits (workspace_id, contact_id);
-- checked: of a table that no version before has
call open_to_tenants('visits', 'select, insert, update (utm_source, utm_medium, utm_campaign, utm_term, utm_content, referrer, ip,
  user_agent, landing_page)');

-- Who has ever visited a page: a row makes a view a unique one.
create table page_visitors (
  workspace_id bigint not null,
  page_id bigint not null,
  -- The first 128 bits of a SHA-256.
  visitor uuid not null,
  constraint page_visitors_pkey primary key (workspace_id, page_id, visitor),
  constraint page_visitors_workspace_id_page_id_fkey
    foreign key (workspace_id, page_id) references pages (workspace_id, id) on delete cascade on update no action
);
-- checked: of a table that no version before has
call open_to_tenants('page_visitors', 'select, insert');

-- What happened on a page in an hour. Views are in the row without a currency, sales in one of each currency.
create table page_hours (
  workspace_id bigint not null,
  page_id bigint not null,
  hour timestamptz(3) not null,
  currency text not null default '',
  views_all integer not null default 0,
  views_unique integer not null default 0,
  optins integer not null default 0,
  sales_count integer not null default 0,
  sales_value numeric not null default 0,
  recurring_sales_count integer not null default 0,
  recurring_sales_value numeric not null default 0,
  constraint page_hours_pkey primary key (workspace_id, page_id, hour, currency),
  constraint page_hours_workspace_id_page_id_fkey
    foreign key (workspace_id, page_id) references pages (workspace_id, id) on delete cascade on update no action,
  constraint page_hours_views_unique_check check (0 <= optins and optins <= views_unique and views_unique <= views_all)
);
-- checked: of a table that no version before has
call open_to_tenants('page_hours', 'select, insert, update');

-- What a contact shows of its visits, as REST does. It stays while the contact does, however old the visits are.
create table contact_visits (
  workspace_id bigint not null,
  contact_id bigint not null,
  first_at timestamptz(3) not null,
  first_visit json not null,
  last_at timestamptz(3) not null,
  last_visit json not null,
  last_with_utm_at timestamptz(3),
  last_visit_with_utm json,
  constraint contact_visits_pkey primary key (workspace_id, contact_id),
  constraint contact_visits_workspace_id_contact_id_fkey
    foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade on update no action
);
-- checked: of a table that no version before has
call open_to_tenants('contact_visits', 'select, insert, update, delete');

-- The page that an order was made on.
alter table orders add column page_id bigint;
-- checked: no order has a page yet
alter table orders add constraint orders_workspace_id_page_id_fkey
  foreign key (workspace_id, page_id) references pages (workspace_id, id) on delete restrict on update no action;
