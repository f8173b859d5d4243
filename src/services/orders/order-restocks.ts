// Restocks: returned goods of an invoice go back into stock, never more of a line than was ordered.
import { requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, notFound, outOfRange, parseAll } from '../../errors.ts';
import { writableFields } from '../../resources/description/inputs.ts';
import { invoice } from '../../resources/orders/order-invoices.ts';
import { type RestockRow, restock } from '../../resources/orders/order-restocks.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import { withSql } from '../../store/changing/transactions.ts';
import { lockOrderOfInvoice } from '../../store/orders/order-changes.ts';
import { findRestockable, type RestockedLine, writeRestock } from '../../store/orders/order-restocks.ts';
import { restockTable } from '../../store/tables/orders/order-restocks.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import { toInvalid } from '../changing/violations.ts';
import { type Input, type NameOf, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const RESTOCKS = tableOf(restockTable);
const FIELDS = writableFields(restock, 'creation');
const LINES = restock.inputs.includedInvoicesLineItemsAttributes;

export const writeScope: Scope = 'store:write';

/**
 * Records the returned goods of an invoice, and adds them to the stock of tracked variants.
 * @throws AppError `not_found` for the invoice; `invalid` blaming lines whose quantity exceeds what was ordered and not yet returned
 */
export async function create(
  ctx: Context,
  parent: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<RestockRow, 'created'>> {
  const by = requireScope(ctx, writeScope);
  const { nameOf } = input;
  const given = parseFields(FIELDS, input, 'creation');
  const { includedInvoicesLineItemsAttributes: lines, reason = null } = given as unknown as RestockInput;
  const invoiceId = parseRef(invoice.title, invoice.table, parent);
  return changeStepwise(ctx, withSql, {
    by,
    options,
    outcome: 'created',
    request: ['create', RESTOCKS.name, invoiceId, given],
    subject: { table: RESTOCKS, id: null },
    async make(tx, tenancy) {
      const locked = await lockOrderOfInvoice(tx, tenancy, invoiceId);
      if (locked === null) throw notFound(invoice.title);
      const { workspaceId, contactId, pageId } = locked;
      const restockable = await findRestockable(tx, workspaceId, invoiceId);
      const wanted = requireRestockable(restockable, lines, nameOf);
      return writeRestock(tx, { workspaceId, contactId, pageId, invoiceId, reason, lines: wanted });
    },
    blame: (error) => toInvalid(error, RESTOCKS, nameOf),
    toRow: snapshotRows<RestockRow>(restock),
  });
}

interface RestockInput {
  readonly includedInvoicesLineItemsAttributes: readonly RestockLineInput[];
  readonly reason?: string | null;
}

interface RestockLineInput {
  readonly invoicesLineItemId: bigint;
  readonly quantity: number;
}

/** @returns each line of the invoice once @throws AppError `invalid` blaming the lines whose quantity exceeds what can be returned */
function requireRestockable(
  restockable: Awaited<ReturnType<typeof findRestockable>>,
  lines: readonly RestockLineInput[],
  nameOf: NameOf,
): RestockedLine[] {
  /** The quantity that can still be returned, by invoice line and by order line. Several invoice lines may bill one order line. */
  const left = { billed: new Map<bigint, number>(), ordered: new Map<bigint, number>() };
  const take = (of: keyof typeof left, id: bigint, most: number, quantity: number) => {
    const rest = (left[of].get(id) ?? most) - quantity;
    left[of].set(id, rest);
    return rest;
  };
  const settled = lines.map(({ invoicesLineItemId, quantity }, index) => () => {
    const blamed = (member: keyof RestockLineInput) =>
      `${nameOf('includedInvoicesLineItemsAttributes', LINES)}[${index}].${nameOf(member, LINES.items[member])}`;
    const found = restockable.find(({ id }) => id === invoicesLineItemId);
    if (found === undefined || found.orderLineItemId === null) {
      const name = blamed('invoicesLineItemId');
      throw invalid(name, {
        code: 'not_allowed',
        message: 'must be a line of the invoice for what was ordered',
      });
    }
    const name = blamed('quantity');
    if (quantity < 1) throw invalid(name, outOfRange('at least 1'));
    const rest = Math.min(
      take('billed', found.id, found.billed, quantity),
      take('ordered', found.orderLineItemId, found.ordered, quantity),
    );
    if (rest < 0)
      throw invalid(
        name,
        outOfRange(`at most ${Math.max(rest + quantity, 0)}, which is what is left to return`),
      );
    return { ...found, quantity };
  });
  const all = Object.values(parseAll(Object.fromEntries(settled.map((settle, index) => [index, settle]))));
  return [...Map.groupBy(all, ({ id }) => id).values()].map((same) => ({
    ...(same[0] as RestockedLine),
    quantity: same.reduce((sum, { quantity }) => sum + quantity, 0),
  }));
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(restock, { writes: { writeScope, create } });
