-- The labels of orders, and which order has which.
-- CreateTable
CREATE SEQUENCE order_tags_id_seq;

CREATE TABLE "order_tags" (
    "id" BIGINT NOT NULL DEFAULT draw_id(31, 'order_tags_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(31, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL DEFAULT '#888888',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_tags_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "order_tags_name_check" CHECK ("name" ~ '\S'),
    CONSTRAINT "order_tags_color_check" CHECK ("color" ~ '^#[0-9a-fA-F]{6}$')
);

ALTER SEQUENCE order_tags_id_seq OWNED BY order_tags.id;
-- checked: of a table that no version before has
call open_to_tenants('order_tags', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('order_tags', 31);

-- CreateTable
CREATE SEQUENCE order_applied_tags_id_seq;

CREATE TABLE "order_applied_tags" (
    "id" BIGINT NOT NULL DEFAULT draw_id(32, 'order_applied_tags_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(32, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "order_id" BIGINT NOT NULL,
    "tag_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_applied_tags_pkey" PRIMARY KEY ("workspace_id","id")
);

ALTER SEQUENCE order_applied_tags_id_seq OWNED BY order_applied_tags.id;
-- checked: of a table that no version before has
call open_to_tenants('order_applied_tags', 'select, insert, update (row_version), delete');

-- CreateIndex
CREATE INDEX "order_tags_id_idx" ON "order_tags" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_tags_workspace_id_updated_at_id_idx" ON "order_tags"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "order_tags_workspace_id_name_key" ON "order_tags"("workspace_id", "name");

-- CreateIndex
CREATE INDEX "order_applied_tags_id_idx" ON "order_applied_tags" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_applied_tags_workspace_id_order_id_id_idx" ON "order_applied_tags"("workspace_id", "order_id", "id");

-- CreateIndex
CREATE INDEX "order_applied_tags_workspace_id_tag_id_order_id_idx" ON "order_applied_tags"("workspace_id", "tag_id", "order_id");

-- CreateIndex
CREATE UNIQUE INDEX "order_applied_tags_workspace_id_order_id_tag_id_key" ON "order_applied_tags"("workspace_id", "order_id", "tag_id");

-- AddForeignKey
ALTER TABLE "order_tags" ADD CONSTRAINT "order_tags_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_applied_tags" ADD CONSTRAINT "order_applied_tags_workspace_id_order_id_fkey" FOREIGN KEY ("workspace_id", "order_id") REFERENCES "orders"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_applied_tags" ADD CONSTRAINT "order_applied_tags_workspace_id_tag_id_fkey" FOREIGN KEY ("workspace_id", "tag_id") REFERENCES "order_tags"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
