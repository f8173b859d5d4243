// Records money that integrations take and pay back for orders. What counts against an invoice changes its status, and that of its order,
// in the same transaction and under their locks: payments never exceed what is due, and refunds never exceed what was paid.

import { requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { conflict, invalid, mustBeOneOf, notFound, outOfRange, tooPrecise } from '../../errors.ts';
import { decimalPlacesOf } from '../../resources/description/currencies.ts';
import type { Field, RowOf } from '../../resources/description/fields.ts';
import { writableFields } from '../../resources/description/inputs.ts';
import { invoice } from '../../resources/orders/order-invoices.ts';
import { type InvoiceStatus, SETTLED_INVOICE_STATUSES } from '../../resources/orders/order-statuses.ts';
import { REFUND, type TransactionRow, transaction } from '../../resources/orders/order-transactions.ts';
import { order } from '../../resources/orders/orders.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import { insertObjects } from '../../store/changing/insert-objects.ts';
import { type ChangeRecord, timeOf } from '../../store/changing/records.ts';
import { findSnapshots } from '../../store/changing/snapshots.ts';
import { withSql } from '../../store/changing/transactions.ts';
import type { Executor } from '../../store/connections/executor.ts';
import {
  type LockedInvoice,
  type LockedOrder,
  lockOrder,
  planOrder,
  type WrittenOrder,
  writeOrder,
} from '../../store/orders/order-changes.ts';
import {
  type LockedPayment,
  lockPayment,
  payInvoice,
  setPaymentStatus,
} from '../../store/orders/order-payments.ts';
import { timeColumns } from '../../store/orders/order-rows.ts';
import { transactionTable } from '../../store/tables/orders/order-transactions.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type ChangeEffects, changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import { requireTransition } from '../changing/transitions.ts';
import { toInvalid } from '../changing/violations.ts';
import { requireCurrency, withPlaces } from '../input/amounts.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import { type Input, type NameOf, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { INVOICE_NUMBER_CONSTRAINT } from './orders.ts';

const TRANSACTIONS = tableOf(transactionTable);
const { fields } = transaction;
const FIELDS = writableFields(transaction, 'creation');
const DEFAULTS = defaultsOf(FIELDS);
const AMOUNT = REFUND['amount'] as Field;

export const writeScope: Scope = 'store:write';

/** A client's input for a transaction. */
type TransactionInput = Omit<RowOf<typeof fields>, 'currency' | 'invoiceId'> & {
  readonly currency?: string;
  readonly invoiceId?: bigint | null;
};

/** For a transaction that changes no order and no invoice. */
const NOTHING: WrittenOrder = { order: null, invoices: [], enrollments: [], events: [] };

/**
 * Records a transaction of an order. One that is approved and complete pays its invoice: in part, or in full if nothing is due afterwards.
 * @throws AppError `not_found` for the order; `invalid`, also for more than is due; `conflict` for a draft that is paid in part
 */
export async function create(
  ctx: Context,
  parent: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<TransactionRow, 'created'>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const given = {
    ...DEFAULTS,
    ...parseFields(FIELDS, input, 'creation', false, ({ status }) => {
      if (status !== 'partially-refunded' && status !== 'refunded') return;
      const { values } = fields.status;
      const fault = mustBeOneOf('completed, pending or voided. Refunds set the other values');
      throw invalid(nameOf('status', fields.status), fault, { values });
    }),
  } as unknown as TransactionInput;
  const orderId = parseRef(order.title, order.table, parent);
  return changeStepwise(ctx, withSql, {
    by,
    options,
    outcome: 'created',
    request: ['create', TRANSACTIONS.name, orderId, given],
    subject: { table: TRANSACTIONS, id: null },
    meanwhile: [INVOICE_NUMBER_CONSTRAINT],
    async make(tx, tenancy) {
      const locked = await lockOrder(tx, tenancy, orderId);
      if (locked === null) throw notFound(order.title);
      return recordTransaction(tx, locked, given, nameOf);
    },
    blame: (error) => toInvalid(error, TRANSACTIONS, nameOf),
    toRow: snapshotRows<TransactionRow>(transaction),
  });
}

async function recordTransaction(
  tx: Executor,
  locked: LockedOrder,
  given: TransactionInput,
  nameOf: NameOf,
): Promise<ChangeRecord> {
  const { workspaceId, contactId, pageId, currency } = locked;
  if (given.currency !== undefined && given.currency !== currency) {
    const name = nameOf('currency', fields.currency);
    throw invalid(name, { code: 'not_allowed', message: `must be ${currency}, the currency of the order` });
  }
  const amount = requireAmount(given.amount, currency, nameOf);
  const isPayment = given.result === 'approved' && given.status === 'completed';
  const invoice = invoiceOf(locked, given.invoiceId ?? null, isPayment, nameOf);
  const written = isPayment && invoice !== null ? await pay(tx, locked, invoice, amount, nameOf) : NOTHING;
  const [id = 0n] = await insertObjects(tx, TRANSACTIONS, workspaceId, [
    {
      ...columnsOf(transaction, { ...given, amount, currency, invoiceId: invoice?.id ?? null }).columns,
      order_id: locked.id,
      ...timeColumns(await timeOf(tx, TRANSACTIONS)),
    },
  ]);
  const [after = ''] = await findSnapshots(tx, TRANSACTIONS, workspaceId, [id]);
  return {
    ...{ workspaceId, resource: transaction, action: 'created', outcome: 'created', subjectId: id },
    ...{ contactId, pageId, before: null, after },
    events: [{ resource: transaction, name: 'created', subjectId: id, data: after }, ...written.events],
    ...otherRecords(written),
  };
}

/** The records of the other rows that were changed. */
function otherRecords({ order, invoices, enrollments }: WrittenOrder) {
  const children = [...(order === null ? [] : [order]), ...invoices, ...enrollments];
  return { children, rows: children.length };
}

/** An amount of a transaction in the form of its currency. @throws AppError `invalid` */
function requireAmount(amount: string, currency: string, nameOf: NameOf): string {
  const places = decimalPlacesOf(currency) ?? 0;
  const settled = withPlaces(amount, places);
  const name = nameOf('amount', AMOUNT);
  if (settled === null) throw invalid(name, tooPrecise(places, currency));
  if (!/[1-9]/.test(settled) || settled.startsWith('-')) throw invalid(name, outOfRange('more than 0'));
  return settled;
}

/** The invoice that a transaction is for; null if it brings no money and refers to none. @throws AppError `invalid` */
function invoiceOf(
  { invoices }: LockedOrder,
  id: bigint | null,
  isPayment: boolean,
  nameOf: NameOf,
): LockedInvoice | null {
  const name = nameOf('invoiceId', fields.invoiceId);
  const waiting: readonly InvoiceStatus[] = ['unpaid', 'past-due', 'partially-paid'];
  const found = invoices.find((one) => (id === null ? waiting.includes(one.status) : one.id === id));
  if (found !== undefined) return found;
  if (id !== null)
    throw invalid(name, { code: 'not_found', message: 'there is no such invoice in the order' });
  if (isPayment)
    throw invalid(name, {
      code: 'required',
      message: 'is required, since no invoice of the order is unpaid',
    });
  return null;
}

async function pay(
  tx: Executor,
  locked: LockedOrder,
  { id, status: from }: LockedInvoice,
  amount: string,
  nameOf: NameOf,
): Promise<WrittenOrder> {
  const { most, isTooMuch, isAll, paidAmount } = await payInvoice(tx, locked.workspaceId, id, amount);
  const name = nameOf('amount', AMOUNT);
  if (isTooMuch)
    throw invalid(
      name,
      outOfRange(`at most ${most} ${locked.currency}, which is what the invoice is still due`),
    );
  const status = isAll ? 'paid' : 'partially-paid';
  requireTransition(invoice.fields.status, from, status, 'The status of the invoice');
  const changed = new Map([[id, { status, paid_amount: paidAmount }]]);
  return writeOrder(tx, locked, planOrder(locked, { invoices: changed }));
}

/**
 * Records that a payment was paid back: a part of it, or the rest. If nothing is left of it, nothing changes. The refund is a transaction
 * of its own.
 * @throws AppError `not_found`; `invalid` for more than is left of it; `conflict` for a transaction that brought no money
 */
export async function refund(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<TransactionRow>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const name = nameOf('amount', AMOUNT);
  const requireAmountOfPart = (some: RefundInput) => {
    if (some.partial === true && !('amount' in some))
      throw invalid(name, { code: 'required', message: 'is required for a partial refund' });
  };
  const given = parseFields(REFUND, input, 'change', true, requireAmountOfPart) as RefundInput;
  const { amount = null, partial, ...rest } = given;
  return changeLocked(ctx, TRANSACTIONS, ref, options, {
    by,
    action: 'refunded',
    given: [amount, rest, ...(partial === undefined ? [] : [partial])],
    lock: (tx, tenancy, id) => lockPayment(tx, tenancy, id, amount),
    async make(tx, payment, { id }) {
      const { isPayment, most, isTooMuch, isOver, order } = payment;
      if (amount !== null) requireCurrency(input, name, order.currency);
      if (!isPayment) throw conflict('not_allowed_now', 'Only a payment that brought money can be refunded.');
      if (isTooMuch)
        throw invalid(
          name,
          outOfRange(`at most ${most} ${order.currency}, which is what is left of the payment`),
        );
      if (amount !== null) requireAmount(amount, order.currency, nameOf);
      if (amount !== null && partial === false && !payment.isAll)
        throw invalid(name, {
          code: 'not_allowed',
          message: `must be ${most} ${order.currency} or left out for a full refund`,
        });
      return amount === null && isOver ? null : payBack(tx, payment, id, rest);
    },
  });
}

/** A client's input for a refund. */
type RefundInput = Partial<TransactionRow> & { readonly partial?: boolean };

/** Writes a refund. @param id the payment @param given the client's input */
async function payBack(
  tx: Executor,
  payment: LockedPayment,
  id: bigint,
  given: Partial<TransactionRow>,
): Promise<ChangeEffects> {
  const { workspaceId, order, invoiceId, isAll, paidAmount, isInvoiceBack, waitsAs } = payment;
  const now = await timeOf(tx, TRANSACTIONS);
  await setPaymentStatus(tx, workspaceId, id, isAll ? 'refunded' : 'partially-refunded', now);
  const amount = withPlaces(payment.amount, decimalPlacesOf(order.currency) ?? 0);
  const values = {
    ...DEFAULTS,
    ...{ externalId: '', externalType: null },
    ...given,
    amount,
    currency: order.currency,
  };
  const [refundId = 0n] = await insertObjects(tx, TRANSACTIONS, workspaceId, [
    {
      ...columnsOf(transaction, values).columns,
      ...{ order_id: order.id, invoice_id: invoiceId, adjusted_transaction_id: id },
      ...timeColumns(now),
    },
  ]);
  const [updated = '', created = ''] = await findSnapshots(tx, TRANSACTIONS, workspaceId, [id, refundId]);
  const isSettled = order.invoices.some(
    (one) =>
      one.id === invoiceId && (SETTLED_INVOICE_STATUSES as readonly InvoiceStatus[]).includes(one.status),
  );
  const status = isSettled ? (isInvoiceBack ? 'refunded' : 'partially-refunded') : waitsAs;
  const invoices = new Map(
    invoiceId === null
      ? []
      : [[invoiceId, { paid_amount: paidAmount, ...(status !== null && { status }) }] as const],
  );
  const written = await writeOrder(tx, order, planOrder(order, { invoices }));
  const { children, rows } = otherRecords(written);
  const record: ChangeRecord = {
    ...{ workspaceId, resource: transaction, action: 'created', outcome: 'created', subjectId: refundId },
    ...{ contactId: order.contactId, before: null, after: created, events: [] },
  };
  return {
    events: [
      { resource: transaction, name: 'created', subjectId: refundId, data: created },
      { resource: transaction, name: 'updated', subjectId: id, data: updated },
      ...written.events,
    ],
    pageId: order.pageId,
    children: [record, ...children],
    rows: rows + 1,
  };
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(transaction, { writes: { writeScope, create }, actions: { refund } });
