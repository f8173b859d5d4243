-- What e-mails are made of: topics, templates, and the addresses of a workspace. An address is unique ignoring case, and one is the default at most.

-- CreateTable
CREATE SEQUENCE email_topics_id_seq;

CREATE TABLE "email_topics" (
    "id" BIGINT NOT NULL DEFAULT draw_id(130, 'email_topics_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(130, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "archived_at" TIMESTAMPTZ(3),
    "archived" BOOLEAN NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "email_topics_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE email_topics_id_seq OWNED BY email_topics.id;
-- checked: of a table that no version before has
call open_to_tenants('email_topics', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('email_topics', 130);

-- CreateTable
CREATE SEQUENCE email_templates_id_seq;

CREATE TABLE "email_templates" (
    "id" BIGINT NOT NULL DEFAULT draw_id(131, 'email_templates_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(131, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "template_type" TEXT NOT NULL,
    "subject" TEXT,
    "html_body" TEXT,
    "text_body" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "email_templates_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE email_templates_id_seq OWNED BY email_templates.id;
-- checked: of a table that no version before has
call open_to_tenants('email_templates', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('email_templates', 131);

-- CreateTable
CREATE SEQUENCE email_addresses_id_seq;

CREATE TABLE "email_addresses" (
    "id" BIGINT NOT NULL DEFAULT draw_id(132, 'email_addresses_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(132, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "email_address" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_workspace_default" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "email_addresses_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE email_addresses_id_seq OWNED BY email_addresses.id;
-- checked: of a table that no version before has
call open_to_tenants('email_addresses', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('email_addresses', 132);

-- CreateIndex
CREATE INDEX "email_topics_id_idx" ON "email_topics" USING HASH ("id");

-- CreateIndex
CREATE INDEX "email_topics_workspace_id_updated_at_id_idx" ON "email_topics"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "email_topics_workspace_id_archived_id_idx" ON "email_topics"("workspace_id", "archived", "id");

-- CreateIndex
CREATE INDEX "email_topics_workspace_id_archived_updated_at_id_idx" ON "email_topics"("workspace_id", "archived", "updated_at", "id");

-- CreateIndex
CREATE INDEX "email_templates_id_idx" ON "email_templates" USING HASH ("id");

-- CreateIndex
CREATE INDEX "email_templates_workspace_id_updated_at_id_idx" ON "email_templates"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "email_addresses_id_idx" ON "email_addresses" USING HASH ("id");

-- CreateIndex
CREATE INDEX "email_addresses_workspace_id_updated_at_id_idx" ON "email_addresses"("workspace_id", "updated_at", "id");

create unique index email_addresses_workspace_id_email_address_key on email_addresses (workspace_id, lower(email_address));
create unique index email_addresses_default on email_addresses (workspace_id) where is_workspace_default;

-- AddForeignKey
ALTER TABLE "email_topics" ADD CONSTRAINT "email_topics_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_templates" ADD CONSTRAINT "email_templates_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_addresses" ADD CONSTRAINT "email_addresses_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
