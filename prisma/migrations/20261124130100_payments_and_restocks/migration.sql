-- Payments in parts count against what is due of an invoice, and a restock has lines.

-- checked: of tables that no version before has
ALTER TABLE "order_invoices" ADD COLUMN "paid_amount" DECIMAL NOT NULL DEFAULT 0, DROP COLUMN "due_amount";

-- checked: as before
ALTER TABLE "order_invoices" ADD COLUMN "due_amount" DECIMAL NOT NULL GENERATED ALWAYS AS (case when status in ('draft', 'unpaid', 'past-due', 'partially-paid')
        then subtotal_amount + shipping_amount + tax_amount - discount_amount - paid_amount else 0 * subtotal_amount end) STORED,
    ADD CONSTRAINT "order_invoices_paid_amount_check" CHECK (paid_amount >= 0 and paid_amount <= subtotal_amount + shipping_amount + tax_amount - discount_amount);

-- checked: as before
ALTER TABLE "order_restocks" DROP COLUMN "invoice_line_item_id", DROP COLUMN "quantity", DROP COLUMN "reason",
    ADD COLUMN "status" TEXT NOT NULL DEFAULT 'completed',
    ADD CONSTRAINT "order_restocks_status_check" CHECK (status in ('completed'));

-- checked: as before
ALTER TABLE "order_transactions"
    ADD CONSTRAINT "order_transactions_status_check" CHECK (status in ('completed', 'pending', 'voided', 'partially-refunded', 'refunded')),
    ADD CONSTRAINT "order_transactions_result_check" CHECK (result in ('approved', 'declined', 'canceled', 'abandoned', 'unknown'));

-- CreateTable
CREATE SEQUENCE order_restock_line_items_id_seq;

CREATE TABLE "order_restock_line_items" (
    "id" BIGINT NOT NULL DEFAULT draw_id(42, 'order_restock_line_items_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(42, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "restock_id" BIGINT NOT NULL,
    "invoice_line_item_id" BIGINT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_restock_line_items_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "order_restock_line_items_quantity_check" CHECK (quantity >= 1)
);

ALTER SEQUENCE order_restock_line_items_id_seq OWNED BY order_restock_line_items.id;
-- checked: of a table that no version before has
call open_to_tenants('order_restock_line_items', 'select, insert, update, delete');

-- CreateIndex
CREATE INDEX "order_restock_line_items_id_idx" ON "order_restock_line_items" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_restock_line_items_workspace_id_restock_id_id_idx" ON "order_restock_line_items"("workspace_id", "restock_id", "id");

-- CreateIndex
CREATE INDEX "order_restock_line_items_workspace_id_invoice_line_item_id_idx" ON "order_restock_line_items"("workspace_id", "invoice_line_item_id");

-- AddForeignKey
ALTER TABLE "order_restock_line_items" ADD CONSTRAINT "order_restock_line_items_workspace_id_restock_id_fkey" FOREIGN KEY ("workspace_id", "restock_id") REFERENCES "order_restocks"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_restock_line_items" ADD CONSTRAINT "order_restock_line_items_workspace_id_invoice_line_item_id_fkey" FOREIGN KEY ("workspace_id", "invoice_line_item_id") REFERENCES "order_invoice_line_items"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
