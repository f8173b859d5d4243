-- Clients create and change funnels, their tags and their pages; a workspace has a site, themes with their styles, and domains.

-- Tags of funnels are of their own. Until now they were those of contacts: each that a funnel has becomes one.
-- CreateTable
CREATE SEQUENCE funnel_labels_id_seq;

CREATE TABLE "funnel_labels" (
    "id" BIGINT NOT NULL DEFAULT draw_id(42, 'funnel_labels_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(42, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL DEFAULT '#888888',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "funnel_labels_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "funnel_labels_name_check" CHECK (name ~ '\S'),
    CONSTRAINT "funnel_labels_color_check" CHECK (color ~* '^#[0-9a-f]{6}$')
);

ALTER SEQUENCE funnel_labels_id_seq OWNED BY funnel_labels.id;
-- checked: of a table that no version before has
call open_to_tenants('funnel_labels', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('funnel_labels', 42);

-- CreateTable
CREATE SEQUENCE themes_id_seq;

CREATE TABLE "themes" (
    "id" BIGINT NOT NULL DEFAULT draw_id(44, 'themes_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(44, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "custom_name" TEXT,
    "current_style_id" BIGINT,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "themes_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "themes_name_check" CHECK (name ~ '\S')
);

ALTER SEQUENCE themes_id_seq OWNED BY themes.id;
-- checked: of a table that no version before has
call open_to_tenants('themes', 'select, update');
-- checked: of a table that no version before has
call list_by_time('themes', 44);

-- CreateTable
CREATE SEQUENCE styles_id_seq;

CREATE TABLE "styles" (
    "id" BIGINT NOT NULL DEFAULT draw_id(45, 'styles_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(45, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "theme_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "styles_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "styles_name_check" CHECK (name ~ '\S')
);

ALTER SEQUENCE styles_id_seq OWNED BY styles.id;
-- checked: of a table that no version before has
call open_to_tenants('styles', 'select');

-- CreateTable
CREATE SEQUENCE sites_id_seq;

CREATE TABLE "sites" (
    "id" BIGINT NOT NULL DEFAULT draw_id(46, 'sites_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(46, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "head_code" TEXT,
    "footer_code" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "sites_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "sites_name_check" CHECK (name ~ '\S')
);

ALTER SEQUENCE sites_id_seq OWNED BY sites.id;
-- checked: of a table that no version before has
call open_to_tenants('sites', 'select, update');
-- checked: of a table that no version before has
call list_by_time('sites', 46);

-- CreateIndex
CREATE INDEX "funnel_labels_id_idx" ON "funnel_labels" USING HASH ("id");
-- CreateIndex
CREATE INDEX "funnel_labels_workspace_id_updated_at_id_idx" ON "funnel_labels"("workspace_id", "updated_at", "id");
-- CreateIndex
CREATE UNIQUE INDEX "funnel_labels_workspace_id_name_key" ON "funnel_labels"("workspace_id", "name");
-- CreateIndex
CREATE INDEX "themes_id_idx" ON "themes" USING HASH ("id");
-- CreateIndex
CREATE INDEX "themes_workspace_id_updated_at_id_idx" ON "themes"("workspace_id", "updated_at", "id");
-- A workspace has one default theme at most.
CREATE UNIQUE INDEX "themes_default" ON "themes"("workspace_id") WHERE "is_default";
-- CreateIndex
CREATE INDEX "styles_id_idx" ON "styles" USING HASH ("id");
-- What a theme's current style is found by: with its theme.
CREATE UNIQUE INDEX "styles_workspace_id_theme_id_id_key" ON "styles"("workspace_id", "theme_id", "id");
-- CreateIndex
CREATE INDEX "sites_id_idx" ON "sites" USING HASH ("id");
-- CreateIndex
CREATE UNIQUE INDEX "sites_workspace_id_key" ON "sites"("workspace_id");
-- CreateIndex
CREATE INDEX "sites_workspace_id_updated_at_id_idx" ON "sites"("workspace_id", "updated_at", "id");

-- AddForeignKey
ALTER TABLE "funnel_labels" ADD CONSTRAINT "funnel_labels_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
-- AddForeignKey
ALTER TABLE "themes" ADD CONSTRAINT "themes_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
-- AddForeignKey
ALTER TABLE "styles" ADD CONSTRAINT "styles_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
-- AddForeignKey
ALTER TABLE "styles" ADD CONSTRAINT "styles_workspace_id_theme_id_fkey" FOREIGN KEY ("workspace_id", "theme_id") REFERENCES "themes"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
-- The current style of a theme is one of its own. Styles refer to their theme too: who loads a backup defers the check to the commit. Others
-- do not, for a node of Citus that refuses a commit cannot say why.
ALTER TABLE "themes" ADD CONSTRAINT "themes_workspace_id_current_style_id_fkey" FOREIGN KEY ("workspace_id", "id", "current_style_id") REFERENCES "styles"("workspace_id", "theme_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION DEFERRABLE INITIALLY IMMEDIATE;
-- AddForeignKey
ALTER TABLE "sites" ADD CONSTRAINT "sites_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- Domains are listed, and have public ids.
-- checked: a version before draws its ids by the same sequence; hosts are few, and it writes this table for the operator alone
alter table custom_domains
  alter column id set default draw_id(43, 'custom_domains_id_seq'::regclass),
  add column public_id text not null generated always as (public_id(43, id)) stored;

-- checked: what changes for callers showed none of it to the versions before
call open_to_tenants('custom_domains', 'select');

-- checked: nullable, or with a default that is no expression
alter table funnels
  add column archived_at timestamptz(3),
  add column tag_ids bigint[] not null default array[]::bigint[],
  add column head_code text,
  add column footer_code text,
  add column row_version integer not null default 1;
-- checked: archived funnels are few
update funnels set archived_at = updated_at where archived;
-- checked: a version before only reads the column, which has the same name and type again
alter table funnels drop column archived;
-- checked: as above; funnels are few
alter table funnels add column archived boolean not null generated always as (archived_at is not null) stored;
-- checked: no version before writes it
alter table funnels add constraint funnels_tag_ids_check check (array_position(tag_ids, null) is null);
-- checked: no version before writes it
alter table funnels add constraint funnels_current_path_check check (current_path ~ '^/\S*$') not valid;
grant insert, update on funnels to funnel_gateway_tenant;
grant usage on sequence funnels_id_seq to funnel_gateway_tenant;

-- The table of which funnel has which tag of contacts stays for the versions before; nothing else reads it.
-- checked: funnels are few, and no version before changes their tags
do $$
declare
  used record;
begin
  for used in
    select distinct t.workspace_id, t.id, t.name, t.color from funnel_tags a
      join tags t on t.workspace_id = a.workspace_id and t.id = a.tag_id order by t.workspace_id, t.id
  loop
    insert into funnel_labels (workspace_id, name, color) values (used.workspace_id, used.name, used.color);
  end loop;
  for used in
    select a.workspace_id, a.funnel_id, array_agg(l.id order by l.id) as ids from funnel_tags a
      join tags t on t.workspace_id = a.workspace_id and t.id = a.tag_id
      join funnel_labels l on l.workspace_id = t.workspace_id and l.name = t.name
    group by a.workspace_id, a.funnel_id
  loop
    update funnels set tag_ids = used.ids where workspace_id = used.workspace_id and id = used.funnel_id;
  end loop;
end
$$;

-- checked: nullable, or with a default that is no expression
alter table pages
  add column description text,
  add column theme_id bigint,
  add column product_ids bigint[] not null default array[]::bigint[],
  add column bumps jsonb not null default '[]',
  add column seo_title text,
  add column seo_description text,
  add column seo_index boolean not null default false,
  add column block_ai_crawler boolean not null default false,
  add column block_ai_search boolean not null default false,
  add column block_ai_assistant boolean not null default false,
  add column head_code text,
  add column footer_code text,
  add column markup text,
  add column row_version integer not null default 1;
-- checked: no version before writes any of these columns, and pages are changed by none but to discard them
alter table pages add constraint pages_description_check check (length(description) <= 1000);
-- checked: as above
alter table pages add constraint pages_product_ids_check check (array_position(product_ids, null) is null);
-- checked: as above
alter table pages add constraint pages_bumps_check check (jsonb_typeof(bumps) = 'array');
-- checked: as above
alter table pages add constraint pages_workspace_id_theme_id_fkey
  foreign key (workspace_id, theme_id) references themes (workspace_id, id) on delete restrict on update no action;
-- checked: no version before lists pages by time, by theme or by funnel; it only discards some
create index pages_workspace_id_updated_at_id_idx on pages (workspace_id, updated_at, id);
-- checked: as above
create index pages_workspace_id_theme_id_id_idx on pages (workspace_id, theme_id, id);
-- checked: as above
create index pages_workspace_id_theme_id_updated_at_id_idx on pages (workspace_id, theme_id, updated_at, id);
-- checked: as above
create index funnel_steps_pages_of_funnel on funnel_steps (workspace_id, funnel_id, page_id)
  where page_id is not null and removed_at is null;
-- checked: as with tags
call list_by_time('pages', 8);
grant insert, update, delete on pages to funnel_gateway_tenant;
grant usage on sequence pages_id_seq to funnel_gateway_tenant;

-- Each workspace has a site, and a default theme with a style.
-- checked: it writes tables that no version before has
do $$
declare
  made record;
  new_theme bigint;
  new_style bigint;
begin
  for made in select id, name from workspaces order by id loop
    insert into sites (workspace_id, name) values (made.id, made.name);
    insert into themes (workspace_id, name, is_default) values (made.id, 'Standard', true) returning id into new_theme;
    insert into styles (workspace_id, theme_id, name) values (made.id, new_theme, 'Light') returning id into new_style;
    update themes set current_style_id = new_style where workspace_id = made.id and id = new_theme;
  end loop;
end
$$;
