// Creates, changes and cancels orders.
import { type Permitted, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { type AppError, blaming, type Fault, invalid, outOfRange } from '../../errors.ts';
import { contact } from '../../resources/contacts.ts';
import type { Field } from '../../resources/description/fields.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import { type OrderRow, order } from '../../resources/orders/orders.ts';
import type { Changed } from '../../store/changing/changes.ts';
import { ADDRESS_CONSTRAINT, findByEmailAddress } from '../../store/changing/contacts.ts';
import type { ChangeOrigin } from '../../store/changing/records.ts';
import {
  BillingRefused,
  type LockedOrder,
  lockOrder,
  type OrderChange,
  type OrderPlan,
  planOrder,
  voidOpenInvoices,
  writeOrder,
} from '../../store/orders/order-changes.ts';
import { type LineFault, LineRefused } from '../../store/orders/order-lines.ts';
import { createOrder, type RequestedOrder } from '../../store/orders/orders.ts';
import { orderTable } from '../../store/tables/orders/orders.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeLocked } from '../changing/locked-change.ts';
import { type ChangeAnswer, mutate } from '../changing/mutate.ts';
import { requireOwn } from '../changing/references.ts';
import { repeated } from '../changing/stepwise-change.ts';
import { requireTransition } from '../changing/transitions.ts';
import { toInvalid } from '../changing/violations.ts';
import { writesOf } from '../changing/writes.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import type { Input, NameOf } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { rowsFor, withoutNeeded } from '../reading/needed-scopes.ts';
import type { Reads } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const ORDERS = tableOf(orderTable);
const { fields, inputs } = order;
const writes = writesOf(order, { check: requireOneContact });
export const { writeScope } = writes;

/** Only those who may read contacts see the contact of an order. */
const visibleReads = (reads: Reads<OrderRow>) => withoutNeeded(reads, order);

/** The constraint that is violated if another request has taken the next invoice number. */
export const INVOICE_NUMBER_CONSTRAINT = 'order_invoices_workspace_id_invoice_number_key';
/** The constraints that a concurrent request may cause to be violated: it has taken the number, or created the same contact. */
const CONCURRENT_CONSTRAINTS = [ADDRESS_CONSTRAINT, INVOICE_NUMBER_CONSTRAINT];

/**
 * Creates an order with its first invoice. The input has the contact's id, or an e-mail address: a missing contact is then created.
 * @throws AppError `invalid` blaming members, also a line that cannot be ordered; `not_found` for the workspace
 */
export async function create(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<OrderRow, 'created'>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const given = { ...defaultsOf(fields), ...writes.parse(input, 'creation') } as OrderInput;
  const { contactId, contactAttributes, lineItems, ...own } = given;
  if (contactAttributes != null) requireScope(ctx, 'contacts:write');
  const workspaceId = parseRef('Workspace', 'workspaces', workspace);
  const { orderType, billingStatus = null, serviceStatus = null } = own;
  await requireOwn(ctx, by.tenancy, { pageId: fields.pageId }, own, nameOf, async () => workspaceId);
  return repeated(CONCURRENT_CONSTRAINTS, async () => {
    const found =
      contactId ??
      (await findByEmailAddress(ctx, by.tenancy, workspaceId, contactAttributes?.emailAddress ?? ''));
    const wanted: RequestedOrder = {
      ...{ workspaceId, orderType, billingStatus, serviceStatus, lines: lineItems },
      contact: found ?? columnsOf(contact, { ...defaultsOf(contact.fields), ...contactAttributes }),
      columns: columnsOf(order, own).columns,
    };
    return mutate(ctx, {
      by,
      options,
      outcome: 'created',
      request: ['create', ORDERS.name, workspaceId, given],
      subject: { table: ORDERS, id: null },
      change: (recorded) => execute(ctx, recorded, wanted, nameOf),
      toRow: rowsFor<OrderRow>(ctx, order),
    });
  });
}

/** The client's input, checked against the description. */
type OrderInput = Omit<OrderRow, 'contactId' | 'lineItems' | 'billingStatus' | 'serviceStatus'> & {
  readonly contactId?: bigint;
  readonly billingStatus?: OrderRow['billingStatus'];
  readonly serviceStatus?: OrderRow['serviceStatus'];
  readonly contactAttributes?: { readonly emailAddress: string } | null;
  readonly lineItems: RequestedOrder['lines'];
};

/** @throws AppError `invalid` */
function requireOneContact(given: object, moment: Moment, { nameOf }: Input): void {
  if (moment === 'change') return;
  const [id, attributes] = [
    nameOf('contactId', fields.contactId),
    nameOf('contactAttributes', inputs.contactAttributes),
  ];
  const hasAttributes = 'contactAttributes' in given && given.contactAttributes !== null;
  if ('contactId' in given === hasAttributes)
    throw invalid(id, { code: 'required', message: `Give either ${id} or ${attributes}.` });
}

async function execute(
  ctx: Context,
  recorded: ChangeOrigin,
  wanted: RequestedOrder,
  nameOf: NameOf,
): Promise<Changed | null> {
  try {
    return await createOrder(ctx, recorded, wanted);
  } catch (error) {
    if (error instanceof LineRefused) throw lineRefused(error, fields.lineItems, nameOf);
    throw toInvalid(error, ORDERS, nameOf);
  }
}

/** The reasons for refusing a line, each with the member to blame. */
const LINE_FAULTS: Readonly<
  Record<LineFault, { readonly member: 'priceId' | 'quantity' | 'variantId'; readonly fault: Fault }>
> = {
  'no such price': {
    member: 'priceId',
    fault: { code: 'not_found', message: 'there is no such price of the variant in this workspace' },
  },
  archived: {
    member: 'priceId',
    fault: {
      code: 'archived',
      message: 'is archived, or belongs to an archived variant or product',
    },
  },
  'another currency': {
    member: 'priceId',
    fault: { code: 'not_allowed', message: 'must be a price in the currency of the first line' },
  },
  'too few': {
    member: 'quantity',
    fault: { code: 'out_of_stock', message: 'is more than is in stock' },
  },
  none: { member: 'quantity', fault: outOfRange('at least 1') },
  'too many': {
    member: 'priceId',
    fault: {
      code: 'too_many',
      message: 'An order can have at most 250 lines, with one for each one-time payment.',
    },
  },
};

/** The 422 for a line. @param list the field that lists the lines */
export function lineRefused({ index, fault: what }: LineRefused, list: Field, nameOf: NameOf): AppError {
  const { member, fault } = LINE_FAULTS[what];
  const given = { ...list, ...('restGiven' in list && { restName: list.restGiven as string }) };
  const name = `${nameOf('lineItems', given)}[${index}].${nameOf(member, list.items?.[member] as Field)}`;
  return invalid(name, fault);
}

/** Changes an order, and its invoices according to its billing status. @throws AppError as every change does */
export async function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<OrderRow>> {
  const by = requireScope(ctx, writeScope);
  const given = writes.parse(input, 'change');
  const change = { order: columnsOf(order, given).columns };
  return changeOrder(ctx, by, ref, options, {
    ...{ action: 'updated', given, nameOf: input.nameOf },
    changeOf: () => change,
  });
}

/** The `canceledBy` of an order that the API cancels, as clients of the public API expect it. */
const CANCELED_BY = 'API';

/**
 * Cancels a subscription, and voids its open invoices. A subscription that this has canceled before stays unchanged.
 * @throws AppError `invalid` for a one-time order; `conflict` for an order that cannot be canceled
 */
export async function cancel(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<OrderRow>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const { cancelReason, ...reasons } = writes.parse(input, 'change', order.actions.cancel.fields);
  const given = { ...reasons, serviceStatus: 'canceled', canceledBy: CANCELED_BY } as const;
  return changeOrder(ctx, by, ref, options, {
    ...{ action: 'canceled', given: { ...given, ...(cancelReason != null && { cancelReason }) }, nameOf },
    // An update may have set only the status: such an order has no `canceledBy`, and its invoices are unchanged.
    isMade: ({ serviceStatus, canceledBy }) => serviceStatus === 'canceled' && canceledBy !== null,
    changeOf(locked, before) {
      requireSubscription(locked, nameOf);
      const reason = cancelReason ?? before.cancelReason ?? 'other';
      return {
        order: columnsOf(order, { ...given, cancelReason: reason }).columns,
        invoices: voidOpenInvoices(locked),
      };
    },
  });
}

/** @throws AppError `invalid` */
function requireSubscription({ orderType }: LockedOrder, nameOf: NameOf): void {
  if (orderType === 'subscription-order') return;
  const others = [
    nameOf('serviceStatus', fields.serviceStatus),
    nameOf('billingStatus', fields.billingStatus),
  ];
  throw invalid(nameOf('orderType', fields.orderType), {
    code: 'not_allowed',
    message: `Only a subscription can be canceled. For other orders, change ${others.join(' or ')}.`,
  });
}

interface OrderChangeRequest {
  /** The part after the dot in the action of the audit entry. */
  readonly action: string;
  /** The new values of the order. */
  readonly given: Partial<OrderRow>;
  readonly nameOf: NameOf;
  /** Whether the change was made before; absent: it was if the order has these values. */
  readonly isMade?: (before: OrderRow) => boolean;
  readonly changeOf: (locked: LockedOrder, before: OrderRow) => OrderChange;
}

function changeOrder(
  ctx: Context,
  by: Permitted,
  ref: Ref,
  options: WriteOptions,
  { action, given, nameOf, isMade, changeOf }: OrderChangeRequest,
): Promise<ChangeAnswer<OrderRow>> {
  const hasAll = (row: OrderRow) =>
    Object.entries(given).every(([property, value]) => equalsInput(row[property as keyof OrderRow], value));
  const billing = nameOf('billingStatus', fields.billingStatus);
  return changeLocked(ctx, ORDERS, ref, options, {
    by,
    action,
    given,
    meanwhile: [INVOICE_NUMBER_CONSTRAINT],
    lock: lockOrder,
    async make(tx, locked, before) {
      const change = changeOf(locked, before);
      if (isMade?.(before)) return null;
      for (const property of ['billingStatus', 'serviceStatus'] as const)
        if (given[property] !== undefined)
          requireTransition(
            fields[property],
            locked[property],
            given[property],
            nameOf(property, fields[property]),
          );
      const plan = planOrBlame(() => planOrder(locked, change), billing);
      if (isMade === undefined && hasAll(before)) return null;
      const { invoices, enrollments, events } = await writeOrder(tx, locked, plan);
      const children = [...invoices, ...enrollments];
      return { rows: children.length, events, pageId: locked.pageId, children };
    },
  });
}

/**
 * Plans a change of an order. @param name the client's name for the billing status
 * @throws AppError `conflict` for a status that the invoices do not allow; what `plan` throws
 */
export function planOrBlame(plan: () => OrderPlan, name: string): OrderPlan {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof BillingRefused)) throw error;
    const { status, instead } = error;
    const message = `cannot be ${status}: by its invoices the order is ${instead}`;
    const { values } = fields.billingStatus;
    throw blaming('conflict', name, { code: 'not_allowed_now', message }, { values });
  }
}

/** Whether a row's value equals one of the input. */
export function equalsInput(value: unknown, given: unknown): boolean {
  return value instanceof Date && given instanceof Date
    ? value.getTime() === given.getTime()
    : value === given;
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(order, {
  shown: visibleReads,
  writes: { writeScope, create, update },
  actions: { cancel },
});
