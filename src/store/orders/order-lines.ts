// The lines of orders and invoices: variants at their prices, with current copies of both. PostgreSQL multiplies and adds the amounts.

import { versionColumns } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import { timePlusPeriod } from '../sql/periods.ts';
import { periodOf, singularUnit } from '../sql/price-terms.ts';
import { LINE_COPIES } from './line-copies.ts';

/** One line from a client. */
export interface RequestedLine {
  /** Absent: that of the price. */
  readonly variantId?: bigint;
  readonly priceId: bigint;
  readonly quantity: number;
}

/** A line with its copies. Amounts are per unit, as text. */
export interface PricedLine extends Required<RequestedLine> {
  readonly productId: bigint;
  readonly currency: string;
  readonly amount: string;
  /** The amount for the first period: for the trial, if there is one. */
  readonly firstAmount: string;
  /** The set-up fee, once for the line. */
  readonly setupAmount: string;
  readonly hasSetup: boolean;
  readonly paymentType: string;
  readonly isArchived: boolean;
  /** Whether orders reduce the stock of the variant. */
  readonly isCounted: boolean;
  /** How many the line takes from stock; absent: not computed. */
  readonly taken?: number;
  readonly isSent: boolean;
  /** The courses of the product. */
  readonly courseIds: readonly bigint[];
  /** The end of the first period; null for a one-time price. */
  readonly periodEndAt: string | null;
  readonly trialEndAt: string | null;
  /** JSON. */
  readonly originalProduct: string;
  readonly productsPrice: string;
  readonly productsVariant: string;
  readonly billedPrice: string;
  readonly billedVariant: string;
}

/** The lines with their sum and common values. */
export interface Priced {
  readonly lines: readonly PricedLine[];
  /** The sum of all lines, including set-up fees. */
  readonly total: string;
  /** Zero, with the digits of the currency. */
  readonly zero: string;
  readonly trialEndAt: string | null;
  /** The earliest end of a first period. */
  readonly nextChargeAt: string | null;
}

/** Why a line cannot be ordered. */
export type LineFault = 'no such price' | 'archived' | 'another currency' | 'too few' | 'none' | 'too many';

/**
 * SQL that tells whether a period is at most a thousand years long. Longer ones are ignored, because they would end beyond PostgreSQL's
 * range of times.
 */
export const isSupportedPeriod = (count: string, unit: string) =>
  `(${count} between 1 and case ${singularUnit(unit)} when 'day' then 365000 when 'week' then 52000 when 'month' then 12000
    when 'quarter' then 4000 else 1000 end)`;

/** A line cannot be ordered. */
export class LineRefused extends Error {
  readonly index: number;
  readonly fault: LineFault;

  constructor(index: number, fault: LineFault) {
    super(`Line ${index}: ${fault}`);
    this.index = index;
    this.fault = fault;
  }
}

/** Serializes orders of the same variants, always in the order of ids. The stock that they read afterwards cannot change. */
const LOCK = `select v.id from product_variants v
  where v.workspace_id = $1::bigint and v.id = any($2::bigint[]) and v.track_quantity order by v.id for no key update`;

/** The same for the variants of prices. */
const LOCK_PRICED = `select v.id from product_variants v
  where v.workspace_id = $1::bigint and v.track_quantity and v.id in (select p.variant_id from product_prices p
    where p.workspace_id = $1::bigint and p.id = any($2::bigint[])) order by v.id for no key update of v`;

const period = (count: string, unit: string) =>
  `case when ${isSupportedPeriod(count, unit)} then ${timePlusPeriod('now()', '+', periodOf(count, unit))} end`;

const HAS_TRIAL = `(p.payment_type <> 'one_time' and p.trial_duration > 0)`;
const PERIOD_END = `case when p.payment_type = 'one_time' then null
  when ${HAS_TRIAL} then ${period('p.trial_duration', 'p.trial_interval')}
  else ${period('p.interval_count', 'p.interval')} end`;

const PRICED = `select i.place::int - 1 as index, v.id as "variantId", p.id as "priceId", d.id as "productId", i.quantity, p.currency,
    p.amount::text, a.first_amount::text as "firstAmount", a.setup_amount::text as "setupAmount", a.setup_amount > 0 as "hasSetup",
    (0 * p.amount)::text as zero, p.payment_type as "paymentType",
    (p.archived or v.archived or d.archived) as "isArchived",
    (v.track_quantity and v.quantity is not null) as "isCounted", v.quantity as stock, v.fulfillment_required as "isSent", d.course_ids as "courseIds",
    (${PERIOD_END})::text as "periodEndAt", case when ${HAS_TRIAL} then (${PERIOD_END})::text end as "trialEndAt",
    (${LINE_COPIES.originalProduct})::text as "originalProduct", (${LINE_COPIES.orderedPrice})::text as "productsPrice",
    (${LINE_COPIES.orderedVariant})::text as "productsVariant", (${LINE_COPIES.billedPrice})::text as "billedPrice",
    (${LINE_COPIES.billedVariant})::text as "billedVariant",
    (sum(a.first_amount * i.quantity + a.setup_amount) over ())::text as total, (min(${PERIOD_END}) over ())::text as "nextChargeAt",
    (max(case when ${HAS_TRIAL} then ${PERIOD_END} end) over ())::text as "trialEndsAt"
  from unnest($2::bigint[], $3::bigint[], $4::int[]) with ordinality i (variant_id, price_id, quantity, place)
    join product_prices p on p.workspace_id = $1::bigint and p.id = i.price_id and p.variant_id = coalesce(i.variant_id, p.variant_id)
    join product_variants v on v.workspace_id = $1::bigint and v.id = p.variant_id
    join products d on d.workspace_id = $1::bigint and d.id = v.product_id,
    lateral (select case when ${HAS_TRIAL} then p.trial_amount + 0 * p.amount else p.amount end as first_amount,
      coalesce(p.setup_amount, 0) + 0 * p.amount as setup_amount) a
  order by i.place`;

/** A line with its place in the list, and the values that all lines have in common. */
type FoundLine = PricedLine &
  Omit<Priced, 'lines' | 'trialEndAt'> & {
    readonly index: number;
    readonly trialEndsAt: string | null;
    /** The stock of the variant. */
    readonly stock: number | null;
  };

/** Locks the stock of these variants until the transaction ends. */
export function lockVariants(
  tx: Executor,
  workspaceId: bigint,
  wanted: readonly { readonly variantId: bigint }[],
): PromiseLike<unknown> {
  return tx.$queryRawUnsafe(
    LOCK,
    workspaceId,
    wanted.map(({ variantId }) => variantId),
  );
}

/** Locks the stock of what lines order until the transaction ends. Must be sent before `findLines`. */
export function lockOrdered(
  tx: Executor,
  workspaceId: bigint,
  wanted: readonly Pick<RequestedLine, 'priceId'>[],
): PromiseLike<unknown> {
  return tx.$queryRawUnsafe(
    LOCK_PRICED,
    workspaceId,
    wanted.map(({ priceId }) => priceId),
  );
}

/** Finds the variants and prices of lines. */
export async function findLines(
  tx: Executor,
  workspaceId: bigint,
  wanted: readonly RequestedLine[],
): Promise<readonly FoundLine[]> {
  const column = (name: keyof RequestedLine) => wanted.map((line) => line[name] ?? null);
  return tx.$queryRawUnsafe<FoundLine[]>(
    PRICED,
    ...[workspaceId, column('variantId'), column('priceId'), column('quantity')],
  );
}

/**
 * Checks that lines can be billed: the workspace has their prices, and all are in one currency.
 * @param currency absent: that of the first line @throws LineRefused for the first that cannot
 */
export function requireBillable(
  found: readonly FoundLine[],
  wanted: readonly RequestedLine[],
  currency = found[0]?.currency,
): readonly FoundLine[] {
  for (const [index, { quantity }] of wanted.entries()) {
    const line = found.find((one) => one.index === index);
    if (line === undefined) throw new LineRefused(index, 'no such price');
    if (quantity < 1) throw new LineRefused(index, 'none');
    if (line.currency !== currency) throw new LineRefused(index, 'another currency');
  }
  return found;
}

/** Checks that lines can be ordered. @throws LineRefused for the first that cannot */
export function requireOrderable(found: readonly FoundLine[], wanted: readonly RequestedLine[]): Priced {
  const [first] = requireBillable(found, wanted);
  const archived = found.find(({ isArchived }) => isArchived);
  if (archived !== undefined) throw new LineRefused(archived.index, 'archived');
  if (first === undefined) throw new LineRefused(0, 'no such price');
  const { total, zero, nextChargeAt, trialEndsAt } = first;
  return { lines: addTakenQuantities(found), total, zero, nextChargeAt, trialEndAt: trialEndsAt };
}

/** Computes what each line takes from stock: the first lines of a variant get the available stock, and untracked variants take nothing. */
function addTakenQuantities(found: readonly FoundLine[]): readonly FoundLine[] {
  const left = new Map<bigint, number>();
  return found.map((line) => {
    const { variantId, quantity, isCounted, stock } = line;
    const rest = left.get(variantId) ?? Math.max(stock ?? 0, 0);
    const taken = isCounted ? Math.min(rest, quantity) : 0;
    left.set(variantId, rest - taken);
    return { ...line, taken };
  });
}

const TAKE = `update product_variants v set quantity = v.quantity - i.taken, ${versionColumns('$5', 'v')}
  from unnest($2::bigint[], $3::bigint[], $4::bigint[]) i (id, quantity, taken)
  where v.workspace_id = $1::bigint and v.id = i.id and v.quantity >= i.taken and (i.taken = i.quantity or v.out_of_stock_sales)
  returning v.id`;

/**
 * Takes lines from the stock of their locked variants. @param now the time of the change, drawn for variants
 * @throws LineRefused if too few are left
 */
export async function takeFromStock(
  tx: Executor,
  workspaceId: bigint,
  lines: readonly PricedLine[],
  now: string,
): Promise<void> {
  const wanted = Map.groupBy(
    lines.filter(({ isCounted }) => isCounted),
    ({ variantId }) => variantId,
  );
  if (wanted.size === 0) return;
  const sum = (of: (line: PricedLine) => number) =>
    [...wanted.values()].map((some) => some.reduce((all, line) => all + BigInt(of(line)), 0n));
  const taken = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    TAKE,
    ...[
      workspaceId,
      [...wanted.keys()],
      sum(({ quantity }) => quantity),
      sum((line) => line.taken ?? 0),
      now,
    ],
  );
  const missing = lines.findIndex(
    ({ variantId, isCounted }) => isCounted && !taken.some(({ id }) => id === variantId),
  );
  if (missing >= 0) throw new LineRefused(missing, 'too few');
}
