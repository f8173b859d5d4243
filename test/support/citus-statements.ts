// Statements about tables below a workspace: those that Citus accepts, and those that it refuses.

export const TAKEN: readonly string[] = [
  'alter table tags add column a int not null default 0, add column b timestamptz default clock_timestamp()',
  'alter table tags add column a int constraint positive check (a > 0)',
  'alter table tags add column a text generated always as (lower(name)) stored',
  'alter table tags add constraint c check (id > 0) not valid',
  'alter table tags add constraint c unique (workspace_id, id, name)',
  'alter table tags add constraint c exclude using btree (workspace_id with =, id with =)',
  'create unique index on tags (workspace_id, id, name)',
  'create index on tags (name)',
  'alter table contact_tags add constraint c foreign key (workspace_id, tag_id) references tags (workspace_id, id) not valid',
  'alter table tags add constraint c foreign key (workspace_id) references workspaces (id) on delete cascade',
  "alter table tags alter column name drop not null, alter column name set default ''",
  'alter table tags rename column name to title',
  'alter table tags set (fillfactor = 80)',
  'update tags set updated_at = current_timestamp',
  'create unique index on users (name, id)',
  `create table notes (workspace_id bigint not null, id bigint not null, contact_id bigint not null, primary key (workspace_id, id));
   call open_to_tenants('notes', 'select');
   alter table notes add foreign key (workspace_id, contact_id) references contacts (workspace_id, id)`,
];

/** Each with a word of the reason. */
export const REFUSED: readonly (readonly [statement: string, reason: string])[] = [
  ['create unique index on tags (name)', 'unique'],
  ['alter table tags add constraint c unique (name)', 'unique'],
  ['alter table tags add column a bigint unique', 'unique'],
  ['alter table tags add constraint c exclude using btree (id with =)', 'unique'],
  ['alter table tags add column a int not null default 0 check (a >= 0)', 'name'],
  ['alter table tags add column a bigserial', 'sequence'],
  ['alter table tags add column a bigint generated always as identity', 'sequence'],
  ['alter table tags add column a int, add constraint c check (a > 0)', 'of its own'],
  ['alter table contact_tags add constraint c foreign key (tag_id) references tags (id)', 'foreign key'],
  [
    'alter table contact_tags add constraint c foreign key (workspace_id, tag_id) references tags (workspace_id, id) on delete set null',
    'null',
  ],
  [
    'alter table contact_tags add constraint c foreign key (workspace_id, tag_id) references tags (workspace_id, id) on update cascade',
    'changed',
  ],
  ['alter table tags alter column workspace_id type numeric', 'stays'],
  ['alter table tags drop column workspace_id cascade', 'stays'],
  ['alter table tags alter column name set statistics 500', 'AT_SetStatistics'],
  ['alter table tags alter column name set storage external', 'AT_SetStorage'],
  ['alter table tags cluster on tags_pkey', 'AT_ClusterOn'],
  ['create trigger t before insert on tags for each row execute function notify_lookup_change()', 'trigger'],
  ['alter table tags rename constraint tags_pkey to c', 'renamed'],
  ['update tags set updated_at = clock_timestamp()', 'answer changes'],
  [
    `create table notes (workspace_id bigint not null, id bigint not null unique, primary key (workspace_id, id));
     call open_to_tenants('notes', 'select')`,
    'unique',
  ],
];
