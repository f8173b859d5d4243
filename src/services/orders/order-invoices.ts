// Creates and changes invoices of an order, with their lines. The billing status of the order follows.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { blaming, invalid, notFound, outOfRange, parseAll } from '../../errors.ts';
import { decimalPlacesOf } from '../../resources/description/currencies.ts';
import type { Field } from '../../resources/description/fields.ts';
import { type InvoiceRow, invoice, invoiceLineItem } from '../../resources/orders/order-invoices.ts';
import { OPEN_INVOICE_STATUSES } from '../../resources/orders/order-statuses.ts';
import { type ChildChanges, withPlace, writeChildren } from '../../store/changing/children.ts';
import type { ChangeRecord } from '../../store/changing/records.ts';
import { Refused } from '../../store/changing/rules.ts';
import { withSql } from '../../store/changing/transactions.ts';
import type { Executor } from '../../store/connections/executor.ts';
import { violationOf } from '../../store/connections/failures.ts';
import {
  type LockedOrder,
  lockOrder,
  lockOrderOfInvoice,
  planOrder,
  writeOrder,
} from '../../store/orders/order-changes.ts';
import { addUpLines, insertInvoice } from '../../store/orders/order-invoices.ts';
import { LineRefused } from '../../store/orders/order-lines.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { invoiceTable } from '../../store/tables/orders/order-invoices.ts';
import { orderTable } from '../../store/tables/orders/orders.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { childWritesOf } from '../changing/children.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import { requireTransition } from '../changing/transitions.ts';
import { refusedBy, toInvalid, tooMany } from '../changing/violations.ts';
import { writesOf } from '../changing/writes.ts';
import { amountsOf, withPlaces } from '../input/amounts.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import type { Input, NameOf, Naming, NewValues } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { rowsFor, withoutNeeded } from '../reading/needed-scopes.ts';
import type { Reads } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { abandon } from './order-invoice-abandonment.ts';
import { equalsInput, INVOICE_NUMBER_CONSTRAINT, lineRefused, planOrBlame } from './orders.ts';

const ORDERS = tableOf(orderTable);
const INVOICES = tableOf(invoiceTable);
const { fields } = invoice;
const RULES = withPlace(invoice, {});
const writes = writesOf(invoice);
const children = childWritesOf(invoice);
const amounts = amountsOf(fields);
const lineAmounts = amountsOf(invoiceLineItem.fields);
export const { writeScope } = writes;

/** Only those who may read contacts see the contact of its order. */
const visibleReads = (reads: Reads<InvoiceRow>) => withoutNeeded(reads, invoice);

/** The constraint that the total is not less than the paid amount. */
const BELOW_PAID = 'order_invoices_paid_amount_check';

/** The client's input, checked against the description. */
type InvoiceInput = Omit<Partial<InvoiceRow>, 'lineItems'> &
  Pick<InvoiceRow, 'status' | 'shippingAmount' | 'externalId' | 'invoiceType'> & {
    readonly lineItems?: readonly InvoiceLineInput[];
  };
type InvoiceLineInput = Pick<
  InvoiceRow['lineItems'][number],
  'amount' | 'description' | 'quantity' | 'priceId' | 'variantId'
>;

/** Creates an invoice of an order. @throws AppError `invalid` blaming members; `not_found` for the order */
export async function create(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<InvoiceRow, 'created'>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const given = { ...defaultsOf(fields), ...writes.parse(input, 'creation') } as InvoiceInput;
  const id = parseRef(ORDERS.title, ORDERS.name, ref);
  return changeStepwise(ctx, withSql, {
    by,
    options,
    outcome: 'created',
    request: ['create', INVOICES.name, id, given],
    subject: { table: INVOICES, id: null },
    meanwhile: concurrentConstraints(given),
    make: (tx, tenancy) => createWithin(tx, tenancy, id, given, input),
    blame: (error) =>
      error instanceof LineRefused
        ? lineRefused(error, fields.lineItems, nameOf)
        : toInvalid(error, INVOICES, nameOf),
    toRow: rowsFor<InvoiceRow>(ctx, invoice),
  });
}

async function createWithin(
  tx: Executor,
  tenancy: Tenancy,
  id: bigint,
  given: InvoiceInput,
  naming: Naming,
): Promise<ChangeRecord> {
  const locked = await lockOrder(tx, tenancy, id);
  if (locked === null) throw notFound(ORDERS.title);
  const { most } = RULES;
  if (most !== undefined && locked.invoices.length >= most.perParent)
    throw tooMany(INVOICES, most, naming.nameOf);
  const { lineItems = [], ...own } = settleAmounts(given, locked, naming);
  const { currency, workspaceId } = locked;
  const zero = withPlaces('0', decimalPlacesOf(currency) ?? 0) ?? '0';
  const written = await insertInvoice(tx, locked, columnsOf(invoice, own).columns, lineItems, zero);
  const withNew = { ...locked, invoices: [...locked.invoices, written] };
  const sums = await addUpLines(tx, workspaceId, written.id);
  const plan = planOrder(withNew, {
    invoices: new Map([[written.id, { status: own.status, ...sums }]]),
    created: [written.id],
  });
  const { order: changed, invoices, enrollments, events } = await writeOrder(tx, withNew, plan);
  const record = invoices.find(({ subjectId }) => subjectId === written.id);
  if (record === undefined) throw new TypeError('No invoice was written');
  return {
    ...{ ...record, events, pageId: locked.pageId, rows: lineItems.length },
    children: [
      ...(changed === null ? [] : [changed]),
      ...[...invoices.filter((one) => one !== record), ...enrollments],
    ],
  };
}

/** The input with its amounts in the form of the order's currency. @throws AppError `invalid` */
function settleAmounts(given: InvoiceInput, { currency }: LockedOrder, naming: Naming): InvoiceInput {
  const { lineItems = [], ...own } = given;
  const { nameOf } = naming;
  const list = nameOfLines(nameOf);
  const parsed = parseAll({
    own: () => amountsWithin(own, amounts, currency, naming),
    ...Object.fromEntries(
      lineItems.map((line, index) => [
        String(index),
        () =>
          amountsWithin(line, lineAmounts, currency, {
            ...naming,
            nameOf: (property, field) => `${list}[${index}].${nameOf(property, field)}`,
          }),
      ]),
    ),
  }) as unknown as Record<string, InvoiceLineInput> & { own: typeof own };
  return { ...parsed.own, lineItems: lineItems.map((_, index) => parsed[String(index)] as InvoiceLineInput) };
}

/** The client's name for the list of lines in the input. */
function nameOfLines(nameOf: NameOf): string {
  return nameOf('lineItems', { ...fields.lineItems, restName: fields.lineItems.restGiven });
}

/** @throws AppError `invalid` also for an amount below zero */
function amountsWithin<Values extends object>(
  given: Values,
  rules: typeof amounts,
  currency: string,
  naming: Naming,
): Values {
  const described: Record<string, Field> = { ...fields, ...invoiceLineItem.fields };
  for (const [property, value] of Object.entries(given)) {
    const field = described[property];
    if (field?.type !== 'decimal' || !String(value).startsWith('-')) continue;
    const name = naming.nameOf(property, field);
    throw invalid(name, { code: 'out_of_range', message: 'must be 0 or more' });
  }
  const all = rules?.settle({ ...given, currency } as NewValues<typeof fields>, {}, naming) ?? given;
  // Without the current row, nothing is known about amounts outside the input.
  return Object.fromEntries(
    Object.keys(given).map((property) => [property, Reflect.get(all, property)]),
  ) as Values;
}

/**
 * Changes an invoice, the lines in the input, and the billing status of its order.
 * @throws AppError `invalid` blaming members; `conflict` for a status that may not follow; as every change
 */
export async function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<InvoiceRow>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const { lineItems, ...given } = writes.parse(input, 'change') as Partial<InvoiceInput>;
  const id = parseRef(INVOICES.title, INVOICES.name, ref);
  const list = nameOfLines(nameOf);
  const shippingAmount = nameOf('shippingAmount', fields.shippingAmount);
  return changeLocked(ctx, INVOICES, ref, options, {
    by,
    action: 'updated',
    given: { ...given, lineItems },
    meanwhile: concurrentConstraints(given),
    lock: lockOrderOfInvoice,
    async make(tx, locked, before) {
      const { currency, workspaceId } = locked;
      if (given.status !== undefined)
        requireTransition(fields.status, before.status, given.status, nameOf('status', fields.status));
      const own = amountsWithin(given, amounts, currency, input);
      for (const [index, line] of (lineItems ?? []).entries()) {
        const nameInLine: NameOf = (property, field) => `${list}[${index}].${nameOf(property, field)}`;
        amountsWithin(line, null, currency, { nameOf: nameInLine });
        if (line.quantity < 1) {
          const name = nameInLine('quantity', invoiceLineItem.fields.quantity);
          throw invalid(name, outOfRange('at least 1'));
        }
      }
      const below = children?.settle({ lineItems }, 'change', before, input) ?? {};
      requireSameSums(before, own, below, { shippingAmount, lineItems: list });
      const plan = planOrBlame(
        () => planOrder(locked, { invoices: new Map([[id, columnsOf(invoice, own).columns]]) }),
        nameOf('status', fields.status),
      );
      if (hasAll(before, given, lineItems)) return null;
      const lines = await writeChildren(tx, RULES, { workspaceId, id, isNew: false }, below);
      const sums = lines.length === 0 ? {} : await addUpLines(tx, workspaceId, id);
      const invoices = new Map(plan.invoices).set(id, { ...plan.invoices.get(id), ...sums });
      const touched = lines.length === 0 ? [] : [id];
      const written = await writeOrder(tx, locked, { ...plan, invoices }, touched);
      return {
        rows: Object.values(below).flat().length,
        events: written.events,
        pageId: locked.pageId,
        children: [
          ...(written.order === null ? [] : [written.order]),
          ...written.invoices.filter(({ subjectId }) => subjectId !== id),
          ...written.enrollments,
        ],
      };
    },
    blame(error) {
      if (error instanceof Refused) return refusedBy(error, invoice, 'change', nameOf);
      if (violationOf(error)?.constraint === BELOW_PAID) {
        const name = given.shippingAmount === undefined ? list : shippingAmount;
        return invalid(name, {
          code: 'not_allowed_now',
          message: 'would make the total less than the amount paid',
        });
      }
      return toInvalid(children?.toInvalid(error, 'change', nameOf) ?? error, INVOICES, nameOf);
    },
  });
}

/**
 * Requires that an invoice which is not open (paid, refunded or abandoned) keeps its sums.
 * @param given in the form of the currency, as are the lines @throws AppError `conflict`
 */
function requireSameSums(
  { status, shippingAmount, lineItems }: InvoiceRow,
  given: Partial<InvoiceInput>,
  { lineItems: lines = [] }: ChildChanges,
  names: { readonly shippingAmount: string; readonly lineItems: string },
): void {
  if (OPEN_INVOICE_STATUSES.some((one) => one === status)) return;
  const isRepriced = lines.some((line) => {
    if (line.verb !== 'update') return true;
    const was = lineItems.find(({ id }) => id === line.id);
    const { amount = was?.amount, quantity = was?.quantity } = line.given.columns;
    return was !== undefined && (amount !== was.amount || quantity !== was.quantity);
  });
  const isSame = given.shippingAmount === undefined || given.shippingAmount === shippingAmount;
  if (isSame && !isRepriced) return;
  const name = isRepriced ? names.lineItems : names.shippingAmount;
  const message = `cannot change the amounts of an invoice that is ${status}`;
  const { values } = fields.status;
  throw blaming('conflict', name, { code: 'not_allowed_now', message }, { values });
}

/** Whether an invoice already has the values of the input. */
function hasAll(
  row: InvoiceRow,
  given: Partial<InvoiceInput>,
  lines: readonly InvoiceLineInput[] = [],
): boolean {
  const has = (of: object, values: object) =>
    Object.entries(values).every(([property, value]) => equalsInput(Reflect.get(of, property), value));
  return (
    has(row, given) &&
    lines.every((line) => {
      const was = row.lineItems.find((one) => one.id === Reflect.get(line, 'id'));
      return was !== undefined && has(was, line);
    })
  );
}

/** The constraints that a concurrent change may cause to be violated: another invoice may take the next number. */
function concurrentConstraints({ invoiceNumber }: { readonly invoiceNumber?: string | undefined }): string[] {
  return invoiceNumber === undefined ? [INVOICE_NUMBER_CONSTRAINT] : [];
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(invoice, {
  shown: visibleReads,
  writes: { writeScope, create, update },
  actions: { abandon },
});
