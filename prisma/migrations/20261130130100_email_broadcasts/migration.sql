-- E-mail settings, of which each workspace has one, and drafts of broadcasts with their recipients. Nothing is sent, so a broadcast never is sent immediately.

-- CreateTable
CREATE SEQUENCE email_settings_id_seq;

CREATE TABLE "email_settings" (
    "id" BIGINT NOT NULL DEFAULT draw_id(133, 'email_settings_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(133, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "marketing_from_address_id" BIGINT,
    "marketing_reply_to_address_id" BIGINT,
    "system_from_address_id" BIGINT,
    "system_reply_to_address_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "email_settings_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE email_settings_id_seq OWNED BY email_settings.id;
-- checked: of a table that no version before has
call open_to_tenants('email_settings', 'select, update');
-- checked: of a table that no version before has
call list_by_time('email_settings', 133);

-- CreateTable
CREATE SEQUENCE email_broadcasts_id_seq;

CREATE TABLE "email_broadcasts" (
    "id" BIGINT NOT NULL DEFAULT draw_id(134, 'email_broadcasts_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(134, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "subject" TEXT,
    "preheadline" TEXT,
    "from_email" TEXT NOT NULL,
    "from_name" TEXT,
    "reply_to_email" TEXT,
    "html_body" TEXT,
    "text_body" TEXT,
    "external_id" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "template_id" BIGINT,
    "filter_id" BIGINT,
    "topic_ids" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "send_at" TIMESTAMPTZ(3),
    "send_at_local_time" TEXT,
    "time_zone" TEXT,
    "send_immediately" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "email_broadcasts_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "email_broadcasts_status_check" CHECK (status in ('canceled', 'complete', 'draft', 'paused', 'scheduled', 'sending', 'unhealthy')),
    CONSTRAINT "email_broadcasts_send_immediately_check" CHECK (not send_immediately)
);

ALTER SEQUENCE email_broadcasts_id_seq OWNED BY email_broadcasts.id;
-- checked: of a table that no version before has
call open_to_tenants('email_broadcasts', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('email_broadcasts', 134);

-- CreateTable
CREATE SEQUENCE email_broadcast_recipients_id_seq;

CREATE TABLE "email_broadcast_recipients" (
    "id" BIGINT NOT NULL DEFAULT draw_id(135, 'email_broadcast_recipients_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(135, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "broadcast_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "email_address" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "email_broadcast_recipients_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE email_broadcast_recipients_id_seq OWNED BY email_broadcast_recipients.id;
-- checked: of a table that no version before has
call open_to_tenants('email_broadcast_recipients', 'select, insert, update, delete');

-- CreateIndex
CREATE UNIQUE INDEX "email_settings_workspace_id_key" ON "email_settings"("workspace_id");

-- CreateIndex
CREATE INDEX "email_settings_id_idx" ON "email_settings" USING HASH ("id");

-- CreateIndex
CREATE INDEX "email_settings_workspace_id_updated_at_id_idx" ON "email_settings"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "email_settings_workspace_id_marketing_from_address_id_idx" ON "email_settings"("workspace_id", "marketing_from_address_id");

-- CreateIndex
CREATE INDEX "email_settings_workspace_id_marketing_reply_to_address_id_idx" ON "email_settings"("workspace_id", "marketing_reply_to_address_id");

-- CreateIndex
CREATE INDEX "email_settings_workspace_id_system_from_address_id_idx" ON "email_settings"("workspace_id", "system_from_address_id");

-- CreateIndex
CREATE INDEX "email_settings_workspace_id_system_reply_to_address_id_idx" ON "email_settings"("workspace_id", "system_reply_to_address_id");

-- CreateIndex
CREATE INDEX "email_broadcasts_id_idx" ON "email_broadcasts" USING HASH ("id");

-- CreateIndex
CREATE INDEX "email_broadcasts_workspace_id_updated_at_id_idx" ON "email_broadcasts"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "email_broadcasts_workspace_id_status_id_idx" ON "email_broadcasts"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "email_broadcasts_workspace_id_status_updated_at_id_idx" ON "email_broadcasts"("workspace_id", "status", "updated_at", "id");

-- CreateIndex
CREATE INDEX "email_broadcasts_workspace_id_template_id_idx" ON "email_broadcasts"("workspace_id", "template_id");

-- CreateIndex
CREATE INDEX "email_broadcasts_workspace_id_filter_id_idx" ON "email_broadcasts"("workspace_id", "filter_id");

-- CreateIndex
CREATE INDEX "email_broadcast_recipients_id_idx" ON "email_broadcast_recipients" USING HASH ("id");

-- CreateIndex
CREATE INDEX "email_broadcast_recipients_workspace_id_broadcast_id_id_idx" ON "email_broadcast_recipients"("workspace_id", "broadcast_id", "id");

-- CreateIndex
CREATE INDEX "email_broadcast_recipients_workspace_id_contact_id_id_idx" ON "email_broadcast_recipients"("workspace_id", "contact_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "email_broadcast_recipients_workspace_id_contact_id_key" ON "email_broadcast_recipients"("workspace_id", "broadcast_id", "contact_id");

-- AddForeignKey
ALTER TABLE "email_settings" ADD CONSTRAINT "email_settings_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_settings" ADD CONSTRAINT "email_settings_workspace_id_marketing_from_address_id_fkey" FOREIGN KEY ("workspace_id", "marketing_from_address_id") REFERENCES "email_addresses"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_settings" ADD CONSTRAINT "email_settings_workspace_id_marketing_reply_to_address_id_fkey" FOREIGN KEY ("workspace_id", "marketing_reply_to_address_id") REFERENCES "email_addresses"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_settings" ADD CONSTRAINT "email_settings_workspace_id_system_from_address_id_fkey" FOREIGN KEY ("workspace_id", "system_from_address_id") REFERENCES "email_addresses"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_settings" ADD CONSTRAINT "email_settings_workspace_id_system_reply_to_address_id_fkey" FOREIGN KEY ("workspace_id", "system_reply_to_address_id") REFERENCES "email_addresses"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_broadcasts" ADD CONSTRAINT "email_broadcasts_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_broadcasts" ADD CONSTRAINT "email_broadcasts_workspace_id_template_id_fkey" FOREIGN KEY ("workspace_id", "template_id") REFERENCES "email_templates"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_broadcasts" ADD CONSTRAINT "email_broadcasts_workspace_id_filter_id_fkey" FOREIGN KEY ("workspace_id", "filter_id") REFERENCES "refine_filters"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_broadcast_recipients" ADD CONSTRAINT "email_broadcast_recipients_workspace_id_broadcast_id_fkey" FOREIGN KEY ("workspace_id", "broadcast_id") REFERENCES "email_broadcasts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "email_broadcast_recipients" ADD CONSTRAINT "email_broadcast_recipients_workspace_id_contact_id_fkey" FOREIGN KEY ("workspace_id", "contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Each workspace has settings.
-- checked: it writes a table that no version before has
do $$
declare
  made record;
begin
  for made in select id from workspaces order by id loop
    insert into email_settings (workspace_id) values (made.id);
  end loop;
end
$$;
