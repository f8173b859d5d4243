-- Fulfillments: goods of invoices that were sent to a contact.

-- AlterTable
ALTER TABLE "order_counters" ADD COLUMN     "last_fulfillment_number" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE SEQUENCE fulfillments_id_seq;

CREATE TABLE "fulfillments" (
    "id" BIGINT NOT NULL DEFAULT draw_id(34, 'fulfillments_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(34, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "fulfillment_number" INTEGER NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "location_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'fulfilled',
    "shipping_provider" TEXT,
    "tracking_code" TEXT,
    "tracking_url" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "fulfillments_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "fulfillments_fulfillment_number_check" CHECK (fulfillment_number > 0),
    CONSTRAINT "fulfillments_status_check" CHECK (status in ('fulfilled', 'cancelled', 'restocked'))
);

ALTER SEQUENCE fulfillments_id_seq OWNED BY fulfillments.id;
-- checked: of a table that no version before has
call open_to_tenants('fulfillments', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('fulfillments', 34);

-- CreateTable
CREATE SEQUENCE fulfillment_line_items_id_seq;

CREATE TABLE "fulfillment_line_items" (
    "id" BIGINT NOT NULL DEFAULT draw_id(35, 'fulfillment_line_items_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(35, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "fulfillment_id" BIGINT NOT NULL,
    "invoices_line_item_id" BIGINT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "fulfillment_line_items_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "fulfillment_line_items_quantity_check" CHECK (quantity >= 1)
);

ALTER SEQUENCE fulfillment_line_items_id_seq OWNED BY fulfillment_line_items.id;
-- checked: of a table that no version before has
call open_to_tenants('fulfillment_line_items', 'select, insert, update, delete');

-- CreateIndex
CREATE INDEX "fulfillments_id_idx" ON "fulfillments" USING HASH ("id");

-- CreateIndex
CREATE INDEX "fulfillments_workspace_id_updated_at_id_idx" ON "fulfillments"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "fulfillments_workspace_id_contact_id_id_idx" ON "fulfillments"("workspace_id", "contact_id", "id");

-- CreateIndex
CREATE INDEX "fulfillments_workspace_id_contact_id_updated_at_id_idx" ON "fulfillments"("workspace_id", "contact_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "fulfillments_workspace_id_location_id_id_idx" ON "fulfillments"("workspace_id", "location_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "fulfillments_workspace_id_fulfillment_number_key" ON "fulfillments"("workspace_id", "fulfillment_number");

-- CreateIndex
CREATE INDEX "fulfillment_line_items_id_idx" ON "fulfillment_line_items" USING HASH ("id");

-- CreateIndex
CREATE INDEX "fulfillment_line_items_workspace_id_fulfillment_id_id_idx" ON "fulfillment_line_items"("workspace_id", "fulfillment_id", "id");

-- CreateIndex
CREATE INDEX "fulfillment_line_items_workspace_id_invoices_line_item_id_idx" ON "fulfillment_line_items"("workspace_id", "invoices_line_item_id");

-- AddForeignKey
ALTER TABLE "fulfillments" ADD CONSTRAINT "fulfillments_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "fulfillments" ADD CONSTRAINT "fulfillments_workspace_id_contact_id_fkey" FOREIGN KEY ("workspace_id", "contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "fulfillments" ADD CONSTRAINT "fulfillments_workspace_id_location_id_fkey" FOREIGN KEY ("workspace_id", "location_id") REFERENCES "fulfillment_locations"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "fulfillment_line_items" ADD CONSTRAINT "fulfillment_line_items_workspace_id_fulfillment_id_fkey" FOREIGN KEY ("workspace_id", "fulfillment_id") REFERENCES "fulfillments"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "fulfillment_line_items" ADD CONSTRAINT "fulfillment_line_items_workspace_id_invoices_line_item_id_fkey" FOREIGN KEY ("workspace_id", "invoices_line_item_id") REFERENCES "order_invoice_line_items"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
