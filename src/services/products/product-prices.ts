// Prices of variants: the members that recurring prices need, and the prices to which a customer can change.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { type Fault, invalid, notFound, outOfRange, parseAll, REQUIRED } from '../../errors.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import { type PriceRow, price } from '../../resources/product-prices.ts';
import { type VariantRow, variant } from '../../resources/product-variants.ts';
import { product } from '../../resources/products.ts';
import { PRICE_RULES } from '../../store/changing/product-prices.ts';
import { updateTaggedProductOfPrice } from '../../store/changing/tagged-products.ts';
import { findById } from '../../store/reading/rows.ts';
import { findCurrency } from '../../store/reading/workspace-currency.ts';
import { priceTable } from '../../store/tables/product-prices.ts';
import { variantTable } from '../../store/tables/product-variants.ts';
import { productTable } from '../../store/tables/products.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { workspaceOf } from '../changing/references.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { readsOf } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const PRODUCTS = tableOf(productTable);
const PRICES = tableOf(priceTable);
const VARIANTS = tableOf(variantTable);
const DEFAULT_CURRENCY = 'USD';

const writes = writesOf(price, {
  ...PRICE_RULES,
  updateOtherTables: updateTaggedProductOfPrice,
  check: requireIntervals,
});
export const { writeScope, update } = writes;

/** Creates a price. @throws AppError as for every noun */
export async function create(
  ctx: Context,
  parent: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<PriceRow>> {
  const given = writes.parseNew(input);
  const { currency } = given;
  if (currency !== undefined) return writes.create(ctx, parent, input, options);
  const id = parseRef(VARIANTS.title, VARIANTS.name, parent);
  // Without the currency: the workspace may have another one by the time of a retry.
  const request = ['create', PRICES.name, id, given];
  return writes.create(ctx, parent, await withCurrency(ctx, id, input), options, request);
}

/** @throws AppError `invalid` for a new price that recurs, without what that takes */
function requireIntervals(given: Partial<PriceRow>, moment: Moment, { nameOf }: Input): void {
  const { paymentType = 'one_time', interval, duration } = given;
  if (moment === 'change') return;
  const blame =
    (property: 'interval' | 'duration', { code, message }: Fault) =>
    () => {
      const fault: Fault = { code, message: `${message} for a ${paymentType} price` };
      const { values } = price.fields.paymentType;
      throw invalid(nameOf(property, price.fields[property]), fault, { values });
    };
  const lacksInterval = paymentType !== 'one_time' && interval === undefined;
  const lacksDuration = paymentType === 'payment_plan' && (duration ?? 0) < 1;
  parseAll({
    interval: lacksInterval ? blame('interval', REQUIRED) : () => undefined,
    duration: lacksDuration ? blame('duration', outOfRange('at least 1')) : () => undefined,
  });
}

/** The input with the currency of the workspace. @throws AppError `not_found` for the variant */
async function withCurrency(ctx: Context, variantId: bigint, input: Input): Promise<Input> {
  const { tenancy } = requireScope(ctx, writeScope);
  const workspaceId = await workspaceOf(ctx, VARIANTS.name, tenancy, variantId);
  if (workspaceId === null) throw notFound(VARIANTS.title);
  const name = input.nameOf('currency', price.fields.currency);
  const currency = (await findCurrency(ctx.store, workspaceId)) ?? DEFAULT_CURRENCY;
  return { ...input, members: { ...(input.members as object), [name]: currency } };
}

/** Creates a price of a product's default variant. @throws AppError as for every noun */
export async function createOnDefaultVariant(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<PriceRow>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const found = await findById(ctx, PRODUCTS, tenancy, parseRef(PRODUCTS.title, PRODUCTS.name, ref));
  if (found === null) throw notFound(PRODUCTS.title);
  return create(ctx, found.defaultVariantId, input, options);
}

const prices = readsOf(price);
const variants = readsOf(variant);
const products = readsOf(product);

export const { scope } = prices;

/** The prices of one variant to which a customer can change. */
export interface VariantOptions {
  readonly variant: VariantRow;
  readonly prices: readonly PriceRow[];
}

/** The prices to which a customer can change, by variant. Those that cost less are downgrades. */
export interface ChangeOptions {
  readonly upgrade: readonly VariantOptions[];
  readonly downgrade: readonly VariantOptions[];
}

/** The change options of one price. @throws AppError `not_found` */
export async function getChangeOptions(ctx: Context, ref: Ref): Promise<ChangeOptions> {
  const [options] = await optionsOf(ctx, [await prices.get(ctx, ref)]);
  return options ?? { upgrade: [], downgrade: [] };
}

/** The change options of prices by their ids; null for one that does not exist or is not the caller's. */
export async function findChangeOptions(
  ctx: Context,
  ids: readonly bigint[],
): Promise<(ChangeOptions | null)[]> {
  const rows = await prices.getMany(ctx, ids);
  const options = await optionsOf(ctx, withoutNulls(rows));
  return rows.map((row) => (row === null ? null : (options.shift() ?? null)));
}

/**
 * The change options of prices, in the same order: the other prices of their products that are visible, not archived, of the same payment
 * type and currency, and of a variant that is visible and not archived. Reads by three statements, however many prices there are.
 */
async function optionsOf(ctx: Context, rows: readonly PriceRow[]): Promise<ChangeOptions[]> {
  const found = await products.getMany(ctx, [...new Set(rows.map((row) => row.productId))]);
  const all = withoutNulls(
    await prices.getMany(
      ctx,
      withoutNulls(found).flatMap((one) => one.priceIds),
    ),
  );
  const offered = all.filter((one) => one.visible && !one.archived);
  const above = withoutNulls(await variants.getMany(ctx, [...new Set(offered.map((one) => one.variantId))]));
  const shown = above.filter((one) => one.visible && !one.archived);
  return rows.map((row) => {
    const others = offered.filter(
      (one) =>
        one.id !== row.id &&
        one.productId === row.productId &&
        one.paymentType === row.paymentType &&
        one.currency === row.currency,
    );
    const byVariant = (isWanted: (other: PriceRow) => boolean) =>
      shown
        .map((variant) => ({
          variant,
          prices: others.filter((other) => other.variantId === variant.id && isWanted(other)),
        }))
        .filter((one) => one.prices.length > 0);
    return {
      upgrade: byVariant((other) => unitsOf(other) >= unitsOf(row)),
      downgrade: byVariant((other) => unitsOf(other) < unitsOf(row)),
    };
  });
}

function withoutNulls<Row>(rows: readonly (Row | null)[]): Row[] {
  return rows.filter((row) => row !== null);
}

/** The amount in the smallest unit of its currency. */
function unitsOf({ amount }: PriceRow): bigint {
  return BigInt(amount.replace('.', ''));
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(price, { writes: { writeScope, create, update } });
