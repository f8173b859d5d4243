// Changes a line of a subscription to another price, or shows what that would do. Both take the same input and follow the same rules.
import { requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { type AppError, conflict, type FieldErrorCode, invalid, notFound } from '../../errors.ts';
import { parseJson } from '../../resources/description/field-types.ts';
import {
  LINE_ITEM_CHANGE,
  LINE_ITEM_CHANGE_INPUT,
  type LineItemChangeRow,
} from '../../resources/orders/order-line-item-changes.ts';
import type { ServiceStatus } from '../../resources/orders/order-statuses.ts';
import { order, orderLineItem } from '../../resources/orders/orders.ts';
import { price } from '../../resources/product-prices.ts';
import { toInteger } from '../../rows/json.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import { withSql } from '../../store/changing/transactions.ts';
import { lockOrder } from '../../store/orders/order-changes.ts';
import {
  findLineChange,
  findLinePlace,
  type LineChange,
  previewLineChange,
  type WantedChange,
  writeLineChange,
} from '../../store/orders/order-line-item-changes.ts';
import type { PricedLine } from '../../store/orders/order-lines.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import { toInvalid } from '../changing/violations.ts';
import { type Input, isObject, type NameOf, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { INVOICE_NUMBER_CONSTRAINT } from './orders.ts';

const LINES = tableOf(orderLineItem);
const { title } = orderLineItem;
const toRow = snapshotRows<LineItemChangeRow>({ fields: LINE_ITEM_CHANGE });

export const scope: Scope = 'store:read';
export const writeScope: Scope = 'store:write';

/** Shows what a change would do. Nothing is written. @throws AppError `not_found`, `invalid`, `conflict`, as `perform` */
export async function preview(ctx: Context, ref: Ref, input: Input): Promise<LineItemChangeRow> {
  const { tenancy } = requireScope(ctx, scope);
  const wanted = parseChange(ref, input);
  const change = await previewLineChange(ctx, tenancy, wanted);
  if (change === null) throw notFound(title);
  requireChangeable(change, wanted, input.nameOf);
  return toRow(asJson(change, lineAfterChange(change, wanted), true));
}

/**
 * Changes a line to another price, in one transaction with its order and the invoice for what is due now.
 * @throws AppError `not_found`; `invalid` for a price to which it cannot change; `conflict` for an order whose lines cannot change
 */
export async function perform(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<LineItemChangeRow, 'updated'>> {
  const by = requireScope(ctx, writeScope);
  const wanted = parseChange(ref, input);
  const { lineId, priceId, isProrated } = wanted;
  const { nameOf } = input;
  return changeStepwise(ctx, withSql, {
    ...{ by, options, outcome: 'updated', subject: { table: LINES, id: lineId }, toRow },
    meanwhile: [INVOICE_NUMBER_CONSTRAINT],
    request: ['change', LINES.name, lineId, priceId, isProrated],
    async make(tx, tenancy) {
      const place = await findLinePlace(tx, tenancy, lineId);
      const locked = place && (await lockOrder(tx, tenancy, place.orderId));
      const change = locked && (await findLineChange(tx, locked.workspaceId, wanted));
      if (!locked || change === null) throw notFound(title);
      requireChangeable(change, wanted, nameOf);
      return writeLineChange(tx, locked, wanted, change, (after) => asJson(change, after, false));
    },
    blame: (error) => toInvalid(error, LINES, nameOf),
  });
}

function parseChange(ref: Ref, input: Input): WantedChange {
  const { nameOf } = input;
  const name = nameOf('priceId', LINE_ITEM_CHANGE_INPUT.priceId);
  const given = parseFields(LINE_ITEM_CHANGE_INPUT, withText(input, name), 'creation');
  const isProrated = given.prorate === true && given.effectiveTime !== 'next_renewal';
  const lineId = parseRef(title, orderLineItem.table, ref);
  try {
    const priceId = parseRef(price.title, price.table, given.priceId as Ref);
    return { lineId, priceId, isProrated };
  } catch {
    throw changeNotOffered(name, 'not_found');
  }
}

/** Converts an integer id to text: public ids are text. */
function withText({ members, ...input }: Input, name: string): Input {
  const isNumber = isObject(members) && Number.isSafeInteger(members[name]);
  return { ...input, members: isNumber ? { ...members, [name]: String(members[name]) } : members };
}

function changeNotOffered(name: string, code: FieldErrorCode): AppError {
  return invalid(name, {
    code,
    message: 'must be a price of the same product that is not archived',
  });
}

/** The service statuses of a subscription that runs, or will. */
const RUNNING: readonly ServiceStatus[] = ['pending', 'active', 'paused', 'suspended'];

/** @throws AppError `invalid` for the price; `conflict` for the order */
function requireChangeable(
  change: LineChange,
  { isProrated }: WantedChange,
  nameOf: NameOf,
): asserts change is LineChange & { readonly line: PricedLine } {
  const { line, orderType, serviceStatus, currency } = change;
  if (orderType !== 'subscription-order')
    throw conflict('not_allowed_now', 'Only the lines of a subscription can be changed.');
  if (!RUNNING.includes(serviceStatus))
    throw conflict('not_allowed_now', `The lines of an order that is ${serviceStatus} cannot be changed.`, {
      values: order.fields.serviceStatus.values,
    });
  const name = nameOf('priceId', LINE_ITEM_CHANGE_INPUT.priceId);
  if (line === null || !change.isSameProduct || line.isArchived)
    throw changeNotOffered(name, line === null ? 'not_found' : line.isArchived ? 'archived' : 'not_allowed');
  if (change.isSamePrice)
    throw invalid(name, { code: 'not_allowed', message: 'is already the price of the line' });
  if (line.currency !== currency)
    throw invalid(name, { code: 'not_allowed', message: `must be a price in ${currency}` });
  if (!change.isRepeated)
    throw invalid(
      name,
      { code: 'not_allowed', message: 'must be a price of the same payment type, and not one_time' },
      {
        values: price.fields.paymentType.values,
      },
    );
  if (isProrated && !change.isSameInterval) {
    const prorate = nameOf('prorate', LINE_ITEM_CHANGE_INPUT.prorate);
    throw invalid(prorate, {
      code: 'not_allowed',
      message: 'must be false for a price with another interval',
    });
  }
}

/** JSON of the change as REST shows it. */
function asJson({ before, upcoming }: LineChange, after: string, isPreview: boolean): string {
  return `{"new_line_item":${after},"preview":${isPreview},"previous_line_item":${before},"upcoming_invoice":${upcoming}}`;
}

/** JSON of the line after the change. */
function lineAfterChange(
  { before, line, inTrial }: LineChange & { readonly line: PricedLine },
  { isProrated }: WantedChange,
): string {
  const was = parseJson(before) as Record<string, unknown>;
  const now = {
    ...was,
    variant_id: line.variantId,
    products_price_id: line.priceId,
    amount: line.amount,
    first_amount: inTrial ? was['first_amount'] : line.amount,
    prorated: String(isProrated),
    products_price: parseJson(line.productsPrice),
    products_variant: parseJson(line.productsVariant),
  };
  return JSON.stringify(now, (_key, value) => (typeof value === 'bigint' ? toInteger(value) : value));
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(orderLineItem);
