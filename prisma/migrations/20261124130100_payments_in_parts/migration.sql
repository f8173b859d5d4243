-- Payments in parts count against what is due of an invoice. What became of a transaction is one of a few words.

-- checked: of a table that no version before has
ALTER TABLE "order_invoices" ADD COLUMN "paid_amount" DECIMAL NOT NULL DEFAULT 0, DROP COLUMN "due_amount";

-- checked: as before
ALTER TABLE "order_invoices" ADD COLUMN "due_amount" DECIMAL NOT NULL GENERATED ALWAYS AS (case when status in ('draft', 'unpaid', 'past-due', 'partially-paid')
        then subtotal_amount + shipping_amount + tax_amount - discount_amount - paid_amount else 0 * subtotal_amount end) STORED;

-- checked: as before
ALTER TABLE "order_invoices" ADD CONSTRAINT "order_invoices_paid_amount_check"
    CHECK (paid_amount >= 0 and paid_amount <= subtotal_amount + shipping_amount + tax_amount - discount_amount);

-- checked: as before
ALTER TABLE "order_transactions" ADD CONSTRAINT "order_transactions_status_check"
    CHECK (status in ('completed', 'pending', 'voided', 'partially-refunded', 'refunded'));

-- checked: as before
ALTER TABLE "order_transactions" ADD CONSTRAINT "order_transactions_result_check"
    CHECK (result in ('approved', 'declined', 'canceled', 'abandoned', 'unknown'));
