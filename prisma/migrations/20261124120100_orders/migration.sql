-- CreateTable
CREATE SEQUENCE order_invoice_line_items_id_seq;

CREATE TABLE "order_invoice_line_items" (
    "id" BIGINT NOT NULL DEFAULT draw_id(28, 'order_invoice_line_items_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(28, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "invoice_id" BIGINT NOT NULL,
    "order_line_item_id" BIGINT,
    "product_id" BIGINT NOT NULL,
    "variant_id" BIGINT NOT NULL,
    "price_id" BIGINT NOT NULL,
    "description" TEXT,
    "quantity" INTEGER NOT NULL,
    "amount" DECIMAL NOT NULL,
    "payment_type" TEXT,
    "fulfillment_status" TEXT NOT NULL,
    "period_number" INTEGER,
    "period_start_at" TIMESTAMPTZ(3),
    "period_end_at" TIMESTAMPTZ(3),
    "products_price" JSON NOT NULL,
    "products_variant" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_invoice_line_items_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "order_invoice_line_items_quantity_check" CHECK (quantity >= 1),
    CONSTRAINT "order_invoice_line_items_amount_check" CHECK (amount >= 0),
    CONSTRAINT "order_invoice_line_items_fulfillment_status_check" CHECK (fulfillment_status in ('unfulfilled', 'partially_fulfilled', 'complete', 'ignored')),
    CONSTRAINT "order_invoice_line_items_period_number_check" CHECK (period_number >= 1)
);

ALTER SEQUENCE order_invoice_line_items_id_seq OWNED BY order_invoice_line_items.id;
-- checked: of a table that no version before has
call open_to_tenants('order_invoice_line_items', 'select, insert, update, delete');

-- CreateTable
CREATE SEQUENCE order_invoices_id_seq;

CREATE TABLE "order_invoices" (
    "id" BIGINT NOT NULL DEFAULT draw_id(27, 'order_invoices_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(27, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "order_id" BIGINT NOT NULL,
    "invoice_number" TEXT,
    "invoice_type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "external_id" TEXT NOT NULL DEFAULT '',
    "currency" TEXT NOT NULL,
    "subtotal_amount" DECIMAL NOT NULL,
    "shipping_amount" DECIMAL NOT NULL,
    "tax_amount" DECIMAL NOT NULL,
    "discount_amount" DECIMAL NOT NULL,
    "total_amount" DECIMAL NOT NULL GENERATED ALWAYS AS (subtotal_amount + shipping_amount + tax_amount - discount_amount) STORED,
    "due_amount" DECIMAL NOT NULL GENERATED ALWAYS AS (case when status in ('draft', 'unpaid', 'past-due', 'partially-paid')
        then subtotal_amount + shipping_amount + tax_amount - discount_amount else 0 * subtotal_amount end) STORED,
    "issued_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "fulfillment_status" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_invoices_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "order_invoices_invoice_number_check" CHECK (invoice_number <> '' and (invoice_number is not null or status in ('draft', 'voided'))),
    CONSTRAINT "order_invoices_invoice_type_check" CHECK (invoice_type in ('cancellation', 'charge', 'initial', 'interim', 'one_time', 'one_time_sale', 'refund', 'renewal')),
    CONSTRAINT "order_invoices_status_check" CHECK (status in ('draft', 'unpaid', 'past-due', 'partially-paid', 'paid', 'partially-refunded', 'disputed', 'refunded', 'abandoned', 'voided')),
    CONSTRAINT "order_invoices_subtotal_amount_check" CHECK (subtotal_amount >= 0),
    CONSTRAINT "order_invoices_shipping_amount_check" CHECK (shipping_amount >= 0),
    CONSTRAINT "order_invoices_tax_amount_check" CHECK (tax_amount >= 0),
    CONSTRAINT "order_invoices_discount_amount_check" CHECK (discount_amount >= 0),
    CONSTRAINT "order_invoices_total_amount_check" CHECK (total_amount >= 0),
    CONSTRAINT "order_invoices_fulfillment_status_check" CHECK (fulfillment_status in ('not_applicable', 'unfulfilled', 'partial', 'complete'))
);

ALTER SEQUENCE order_invoices_id_seq OWNED BY order_invoices.id;
-- checked: of a table that no version before has
call open_to_tenants('order_invoices', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('order_invoices', 27);

-- CreateTable
CREATE SEQUENCE order_line_items_id_seq;

CREATE TABLE "order_line_items" (
    "id" BIGINT NOT NULL DEFAULT draw_id(26, 'order_line_items_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(26, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "order_id" BIGINT NOT NULL,
    "product_id" BIGINT NOT NULL,
    "variant_id" BIGINT NOT NULL,
    "price_id" BIGINT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" DECIMAL NOT NULL,
    "first_amount" DECIMAL NOT NULL,
    "setup_amount" DECIMAL NOT NULL,
    "prorated" TEXT,
    "original_product" JSON NOT NULL,
    "products_price" JSON NOT NULL,
    "products_variant" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_line_items_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "order_line_items_quantity_check" CHECK (quantity >= 1),
    CONSTRAINT "order_line_items_amount_check" CHECK (amount >= 0),
    CONSTRAINT "order_line_items_first_amount_check" CHECK (first_amount >= 0),
    CONSTRAINT "order_line_items_setup_amount_check" CHECK (setup_amount >= 0)
);

ALTER SEQUENCE order_line_items_id_seq OWNED BY order_line_items.id;
-- checked: of a table that no version before has
call open_to_tenants('order_line_items', 'select, insert, update, delete');

-- CreateTable
CREATE SEQUENCE order_restocks_id_seq;

CREATE TABLE "order_restocks" (
    "id" BIGINT NOT NULL DEFAULT draw_id(30, 'order_restocks_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(30, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "invoice_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'restocked',
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_restocks_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "order_restocks_status_check" CHECK (status in ('restocked'))
);

ALTER SEQUENCE order_restocks_id_seq OWNED BY order_restocks.id;
-- checked: of a table that no version before has
call open_to_tenants('order_restocks', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('order_restocks', 30);

-- CreateTable
CREATE SEQUENCE order_transactions_id_seq;

CREATE TABLE "order_transactions" (
    "id" BIGINT NOT NULL DEFAULT draw_id(29, 'order_transactions_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(29, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "order_id" BIGINT NOT NULL,
    "invoice_id" BIGINT,
    "adjusted_transaction_id" BIGINT,
    "amount" DECIMAL NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "reason" TEXT,
    "external_id" TEXT NOT NULL DEFAULT '',
    "external_type" TEXT,
    "arn" TEXT,
    "is_rebill" BOOLEAN NOT NULL DEFAULT false,
    "rebill_number" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_transactions_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "order_transactions_amount_check" CHECK (amount >= 0)
);

ALTER SEQUENCE order_transactions_id_seq OWNED BY order_transactions.id;
-- checked: of a table that no version before has
call open_to_tenants('order_transactions', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('order_transactions', 29);

-- CreateTable
CREATE SEQUENCE orders_id_seq;

CREATE TABLE "orders" (
    "id" BIGINT NOT NULL DEFAULT draw_id(25, 'orders_id_seq'::regclass),
    "public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(25, id)) STORED,
    "workspace_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "order_number" INTEGER NOT NULL,
    "order_type" TEXT NOT NULL,
    "live_mode" BOOLEAN NOT NULL,
    "external_id" TEXT,
    "currency" TEXT NOT NULL,
    "total_amount" DECIMAL NOT NULL,
    "tax_amount" DECIMAL NOT NULL,
    "billing_status" TEXT NOT NULL,
    "service_status" TEXT NOT NULL,
    "in_trial" BOOLEAN NOT NULL DEFAULT false,
    "trial_end_at" TIMESTAMPTZ(3),
    "activated_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "canceled_by" TEXT,
    "cancel_reason" TEXT,
    "cancel_description" TEXT,
    "churned_at" TIMESTAMPTZ(3),
    "next_charge_at" TIMESTAMPTZ(3),
    "recurring_invoices_paid_count" INTEGER NOT NULL DEFAULT 0,
    "notes" TEXT,
    "shipping_address_first_name" TEXT,
    "shipping_address_last_name" TEXT,
    "shipping_address_organization_name" TEXT,
    "shipping_address_phone_number" TEXT,
    "shipping_address_street_one" TEXT,
    "shipping_address_street_two" TEXT,
    "shipping_address_city" TEXT,
    "shipping_address_region" TEXT,
    "shipping_address_country" TEXT,
    "shipping_address_postal_code" TEXT,
    "billing_address_street_one" TEXT,
    "billing_address_street_two" TEXT,
    "billing_address_city" TEXT,
    "billing_address_region" TEXT,
    "billing_address_country" TEXT,
    "billing_address_postal_code" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "row_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("workspace_id","id"),
    CONSTRAINT "orders_order_number_check" CHECK (order_number > 0),
    CONSTRAINT "orders_order_type_check" CHECK (order_type in ('one-time-order', 'subscription-order')),
    CONSTRAINT "orders_currency_check" CHECK (currency ~ '^[A-Z]{3}$'),
    CONSTRAINT "orders_total_amount_check" CHECK (total_amount >= 0),
    CONSTRAINT "orders_tax_amount_check" CHECK (tax_amount >= 0),
    CONSTRAINT "orders_billing_status_check" CHECK (billing_status in ('draft', 'pending', 'unpaid', 'past-due', 'paid', 'partially-refunded', 'disputed', 'refunded', 'voided')),
    CONSTRAINT "orders_service_status_check" CHECK (service_status in ('pending', 'active', 'paused', 'suspended', 'canceled', 'churned', 'completed', 'abandoned', 'voided')),
    CONSTRAINT "orders_cancel_reason_check" CHECK (cancel_reason in ('customer_service', 'low_quality', 'missing_features', 'other', 'switched_service', 'too_complex', 'too_expensive', 'unused', 'did-not-use', 'did-not-want', 'missing-features', 'too-expensive', 'bugs-or-problems')),
    CONSTRAINT "orders_recurring_invoices_paid_count_check" CHECK (recurring_invoices_paid_count >= 0)
);

ALTER SEQUENCE orders_id_seq OWNED BY orders.id;
-- checked: of a table that no version before has
call open_to_tenants('orders', 'select, insert, update, delete');
-- checked: of a table that no version before has
call list_by_time('orders', 25);

-- CreateTable
CREATE TABLE "order_restock_line_items" (
    "workspace_id" BIGINT NOT NULL,
    "restock_id" BIGINT NOT NULL,
    "invoice_line_item_id" BIGINT NOT NULL,
    "quantity" INTEGER NOT NULL,

    CONSTRAINT "order_restock_line_items_pkey" PRIMARY KEY ("workspace_id","restock_id","invoice_line_item_id"),
    CONSTRAINT "order_restock_line_items_quantity_check" CHECK (quantity >= 1)
);

-- checked: of a table that no version before has
call open_to_tenants('order_restock_line_items', 'select, insert, update, delete');

-- CreateTable
CREATE TABLE "order_counters" (
    "workspace_id" BIGINT NOT NULL,
    "last_order_number" INTEGER NOT NULL DEFAULT 0,
    "last_invoice_number" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "order_counters_pkey" PRIMARY KEY ("workspace_id"),
    CONSTRAINT "order_counters_last_order_number_check" CHECK (last_order_number >= 0),
    CONSTRAINT "order_counters_last_invoice_number_check" CHECK (last_invoice_number >= 0)
);

-- checked: of a table that no version before has
call open_to_tenants('order_counters', 'select, insert, update');

-- CreateIndex
CREATE INDEX "order_invoice_line_items_id_idx" ON "order_invoice_line_items" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_invoice_line_items_workspace_id_invoice_id_id_idx" ON "order_invoice_line_items"("workspace_id", "invoice_id", "id");

-- CreateIndex
CREATE INDEX "order_invoice_line_items_workspace_id_order_line_item_id_idx" ON "order_invoice_line_items"("workspace_id", "order_line_item_id");

-- CreateIndex
CREATE INDEX "order_invoice_line_items_workspace_id_product_id_idx" ON "order_invoice_line_items"("workspace_id", "product_id");

-- CreateIndex
CREATE INDEX "order_invoice_line_items_workspace_id_variant_id_idx" ON "order_invoice_line_items"("workspace_id", "variant_id");

-- CreateIndex
CREATE INDEX "order_invoice_line_items_workspace_id_price_id_idx" ON "order_invoice_line_items"("workspace_id", "price_id");

-- CreateIndex
CREATE INDEX "order_invoices_id_idx" ON "order_invoices" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_updated_at_id_idx" ON "order_invoices"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_order_id_id_idx" ON "order_invoices"("workspace_id", "order_id", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_order_id_updated_at_id_idx" ON "order_invoices"("workspace_id", "order_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_external_id_id_idx" ON "order_invoices"("workspace_id", "external_id", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_external_id_updated_at_id_idx" ON "order_invoices"("workspace_id", "external_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_invoice_type_id_idx" ON "order_invoices"("workspace_id", "invoice_type", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_invoice_type_updated_at_id_idx" ON "order_invoices"("workspace_id", "invoice_type", "updated_at", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_status_id_idx" ON "order_invoices"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "order_invoices_workspace_id_status_updated_at_id_idx" ON "order_invoices"("workspace_id", "status", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "order_invoices_workspace_id_invoice_number_key" ON "order_invoices"("workspace_id", "invoice_number");

-- CreateIndex
CREATE INDEX "order_line_items_id_idx" ON "order_line_items" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_line_items_workspace_id_order_id_id_idx" ON "order_line_items"("workspace_id", "order_id", "id");

-- CreateIndex
CREATE INDEX "order_line_items_workspace_id_product_id_idx" ON "order_line_items"("workspace_id", "product_id");

-- CreateIndex
CREATE INDEX "order_line_items_workspace_id_variant_id_idx" ON "order_line_items"("workspace_id", "variant_id");

-- CreateIndex
CREATE INDEX "order_line_items_workspace_id_price_id_idx" ON "order_line_items"("workspace_id", "price_id");

-- CreateIndex
CREATE INDEX "order_restocks_id_idx" ON "order_restocks" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_restocks_workspace_id_updated_at_id_idx" ON "order_restocks"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "order_restocks_workspace_id_invoice_id_id_idx" ON "order_restocks"("workspace_id", "invoice_id", "id");

-- CreateIndex
CREATE INDEX "order_restocks_workspace_id_invoice_id_updated_at_id_idx" ON "order_restocks"("workspace_id", "invoice_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "order_restock_line_items_workspace_id_invoice_line_item_id_idx" ON "order_restock_line_items"("workspace_id", "invoice_line_item_id");

-- CreateIndex
CREATE INDEX "order_transactions_id_idx" ON "order_transactions" USING HASH ("id");

-- CreateIndex
CREATE INDEX "order_transactions_workspace_id_order_id_id_idx" ON "order_transactions"("workspace_id", "order_id", "id");

-- CreateIndex
CREATE INDEX "order_transactions_workspace_id_order_id_updated_at_id_idx" ON "order_transactions"("workspace_id", "order_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "order_transactions_workspace_id_invoice_id_idx" ON "order_transactions"("workspace_id", "invoice_id");

-- CreateIndex
CREATE INDEX "order_transactions_workspace_id_adjusted_transaction_id_idx" ON "order_transactions"("workspace_id", "adjusted_transaction_id");

-- CreateIndex
CREATE INDEX "orders_id_idx" ON "orders" USING HASH ("id");

-- CreateIndex
CREATE INDEX "orders_workspace_id_updated_at_id_idx" ON "orders"("workspace_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "orders_workspace_id_contact_id_id_idx" ON "orders"("workspace_id", "contact_id", "id");

-- CreateIndex
CREATE INDEX "orders_workspace_id_contact_id_updated_at_id_idx" ON "orders"("workspace_id", "contact_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "orders_workspace_id_order_type_id_idx" ON "orders"("workspace_id", "order_type", "id");

-- CreateIndex
CREATE INDEX "orders_workspace_id_order_type_updated_at_id_idx" ON "orders"("workspace_id", "order_type", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "orders_workspace_id_order_number_key" ON "orders"("workspace_id", "order_number");

-- CreateIndex
CREATE UNIQUE INDEX "orders_currency_workspace_id_id_key" ON "orders"("currency", "workspace_id", "id");

-- AddForeignKey
ALTER TABLE "order_invoice_line_items" ADD CONSTRAINT "order_invoice_line_items_workspace_id_invoice_id_fkey" FOREIGN KEY ("workspace_id", "invoice_id") REFERENCES "order_invoices"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_invoice_line_items" ADD CONSTRAINT "order_invoice_line_items_workspace_id_product_id_fkey" FOREIGN KEY ("workspace_id", "product_id") REFERENCES "products"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_invoice_line_items" ADD CONSTRAINT "order_invoice_line_items_workspace_id_variant_id_fkey" FOREIGN KEY ("workspace_id", "variant_id") REFERENCES "product_variants"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_invoice_line_items" ADD CONSTRAINT "order_invoice_line_items_workspace_id_price_id_fkey" FOREIGN KEY ("workspace_id", "price_id") REFERENCES "product_prices"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_invoice_line_items" ADD CONSTRAINT "order_invoice_line_items_workspace_id_order_line_item_id_fkey" FOREIGN KEY ("workspace_id", "order_line_item_id") REFERENCES "order_line_items"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_invoices" ADD CONSTRAINT "order_invoices_workspace_id_order_id_currency_fkey" FOREIGN KEY ("workspace_id", "order_id", "currency") REFERENCES "orders"("workspace_id", "id", "currency") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_invoices" ADD CONSTRAINT "order_invoices_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_line_items" ADD CONSTRAINT "order_line_items_workspace_id_order_id_currency_fkey" FOREIGN KEY ("workspace_id", "order_id", "currency") REFERENCES "orders"("workspace_id", "id", "currency") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_line_items" ADD CONSTRAINT "order_line_items_workspace_id_product_id_fkey" FOREIGN KEY ("workspace_id", "product_id") REFERENCES "products"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_line_items" ADD CONSTRAINT "order_line_items_workspace_id_variant_id_fkey" FOREIGN KEY ("workspace_id", "variant_id") REFERENCES "product_variants"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_line_items" ADD CONSTRAINT "order_line_items_workspace_id_price_id_fkey" FOREIGN KEY ("workspace_id", "price_id") REFERENCES "product_prices"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_restocks" ADD CONSTRAINT "order_restocks_workspace_id_invoice_id_fkey" FOREIGN KEY ("workspace_id", "invoice_id") REFERENCES "order_invoices"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_restocks" ADD CONSTRAINT "order_restocks_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_restock_line_items" ADD CONSTRAINT "order_restock_line_items_workspace_id_restock_id_fkey" FOREIGN KEY ("workspace_id", "restock_id") REFERENCES "order_restocks"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_restock_line_items" ADD CONSTRAINT "order_restock_line_items_workspace_id_invoice_line_item_id_fkey" FOREIGN KEY ("workspace_id", "invoice_line_item_id") REFERENCES "order_invoice_line_items"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_transactions" ADD CONSTRAINT "order_transactions_workspace_id_order_id_currency_fkey" FOREIGN KEY ("workspace_id", "order_id", "currency") REFERENCES "orders"("workspace_id", "id", "currency") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_transactions" ADD CONSTRAINT "order_transactions_workspace_id_invoice_id_fkey" FOREIGN KEY ("workspace_id", "invoice_id") REFERENCES "order_invoices"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_transactions" ADD CONSTRAINT "order_transactions_workspace_id_adjusted_transaction_id_fkey" FOREIGN KEY ("workspace_id", "adjusted_transaction_id") REFERENCES "order_transactions"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_workspace_id_contact_id_fkey" FOREIGN KEY ("workspace_id", "contact_id") REFERENCES "contacts"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "order_counters" ADD CONSTRAINT "order_counters_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
