// Computes what payments leave due of an invoice, and what refunds leave of a payment. PostgreSQL compares, adds and subtracts the amounts.
// The caller holds the order's lock, so that the answers stay true.
import { versionColumns } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import { REFUNDED_OF_PAYMENT } from '../sql/refunds.ts';
import { inWorkspace } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { transactionTable } from '../tables/orders/order-transactions.ts';
import { tableOf } from '../tables/tables.ts';
import { type LockedOrder, lockOrder } from './order-changes.ts';

const TRANSACTIONS = tableOf(transactionTable);

/** How an amount compares with what can be paid or refunded. */
interface AmountComparison {
  /** The most that can be paid or refunded. */
  readonly most: string;
  readonly isTooMuch: boolean;
  /** Whether nothing is left afterwards. */
  readonly isAll: boolean;
}

interface Payment extends AmountComparison {
  /** What is paid of the invoice afterwards. */
  readonly paidAmount: string;
}

const PAY = `select i.due_amount::text as most, $3::numeric > i.due_amount as "isTooMuch", $3::numeric = i.due_amount as "isAll",
    (i.paid_amount + $3::numeric)::text as "paidAmount"
  from order_invoices i where i.workspace_id = $1::bigint and i.id = $2::bigint`;

/** Computes the effect of a payment on an invoice. */
export async function payInvoice(
  tx: Executor,
  workspaceId: bigint,
  invoiceId: bigint,
  amount: string,
): Promise<Payment> {
  const [payment] = await tx.$queryRawUnsafe<Payment[]>(PAY, workspaceId, invoiceId, amount);
  if (payment === undefined) throw new TypeError('There is no such invoice');
  return payment;
}

/** A payment whose order is locked, and the effect of a refund. */
export interface LockedPayment extends AmountComparison {
  readonly workspaceId: bigint;
  readonly order: LockedOrder;
  readonly invoiceId: bigint | null;
  /** The refunded amount. */
  readonly amount: string;
  /** Whether it is an approved, complete payment. */
  readonly isPayment: boolean;
  /** Whether it was already refunded in full. */
  readonly isOver: boolean;
  /** What is paid of its invoice afterwards. */
  readonly paidAmount: string;
  /** Whether transactions paid the invoice's total, and the refund returns all of it. */
  readonly isInvoiceBack: boolean;
  /** The next status of a partially paid invoice of which nothing is paid afterwards; null otherwise. */
  readonly waitsAs: 'unpaid' | 'past-due' | null;
}

const ORDER_OF = `select t.order_id as "orderId" from order_transactions t where t.id = $1::bigint and ${TRANSACTIONS.owned('$2', '$3')}`;

/** Whether a transaction is an approved, complete payment; some of it may have been refunded. */
const isCompletePayment = (t: string) =>
  `(${t}.adjusted_transaction_id is null and ${t}.result = 'approved' and ${t}.status not in ('pending', 'voided'))`;

const REFUND = `select t.workspace_id as "workspaceId", t.invoice_id as "invoiceId", ${isCompletePayment('t')} as "isPayment", l.most = 0 as "isOver",
    l.most::text, a.back::text as amount, a.back > l.most as "isTooMuch", a.back = l.most as "isAll",
    (i.paid_amount - a.back)::text as "paidAmount", (i.paid_amount = a.back and i.total_amount <= (select sum(p.amount) from order_transactions p
      where p.workspace_id = $1::bigint and p.invoice_id = t.invoice_id and ${isCompletePayment('p')})) as "isInvoiceBack",
    case when i.status = 'partially-paid' and i.paid_amount = a.back then case when i.due_at < now() then 'past-due' else 'unpaid' end end as "waitsAs"
  from order_transactions t left join order_invoices i on i.workspace_id = t.workspace_id and i.id = t.invoice_id,
    lateral (select t.amount - ${inWorkspace(REFUNDED_OF_PAYMENT, '$1::bigint')} as most) l,
    lateral (select coalesce($3::numeric, l.most) as back) a
  where t.workspace_id = $1::bigint and t.id = $2::bigint`;

/**
 * Locks the order of a payment, and computes the effect of a refund. Null if there is no such payment, or the caller does not own it.
 * @param amount null: all that was not refunded before
 */
export async function lockPayment(
  tx: Executor,
  tenancy: Tenancy,
  id: bigint,
  amount: string | null,
): Promise<LockedPayment | null> {
  const [found] = await tx.$queryRawUnsafe<{ orderId: bigint }[]>(
    ORDER_OF,
    ...[id, tenancy.teamId, tenancy.workspaceIds],
  );
  const order = found && (await lockOrder(tx, tenancy, found.orderId));
  if (!order) return null;
  const [locked] = await tx.$queryRawUnsafe<Omit<LockedPayment, 'order'>[]>(
    REFUND,
    ...[order.workspaceId, id, amount],
  );
  return locked === undefined ? null : { ...locked, order };
}

/** Sets the status of a refunded payment. @param now the time of the change, drawn for transactions */
export async function setPaymentStatus(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
  status: 'partially-refunded' | 'refunded',
  now: string,
): Promise<void> {
  await tx.$executeRawUnsafe(
    `update order_transactions c set status = $3::text, ${versionColumns('$4')} where c.workspace_id = $1::bigint and c.id = $2::bigint`,
    ...[workspaceId, id, status, now],
  );
}
