// The statistics of pages and funnels. Amounts are exact: whole numbers of the smallest unit of their currency.
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, mustBe, outOfRange } from '../../errors.ts';
import { decimalPlacesOf } from '../../resources/currencies.ts';
import { typeOf } from '../../resources/field-types.ts';
import { funnel } from '../../resources/funnels.ts';
import type { DayStatsRow, FunnelStatsRow, PageStatsRow, StepStatsRow } from '../../resources/page-stats.ts';
import { type PageRow, page } from '../../resources/pages.ts';
import {
  findDaySums,
  findPageSums,
  findShowingSteps,
  type Span,
  type Sums,
} from '../../store/reading/page-stats.ts';
import { findCurrency } from '../../store/reading/workspace-currency.ts';
import { readsOf } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { getStructure, type Structure, walk } from './funnel-steps.ts';

const pages = readsOf(page);

export const scope = scopeFor(funnel, 'read');

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
/** An end within this time before now is taken for now. Other ends are rounded like starts, so that days do not overlap. */
const NOW_MS = 5 * 60_000;
/** The descriptions of a span's ends, for clients. */
export const SPAN_ENDS = {
  start: `Since when, rounded down to the hour: by default ${DEFAULT_DAYS} days before the end, and at most ${MAX_DAYS}.`,
  end: 'Up to when, rounded down to the hour: by default now, and now at the latest. Now has the whole hour, and a span has at least one.',
} as const;
/** The currency if nothing was sold and nothing is for sale. */
const DEFAULT_CURRENCY = 'USD';

/** A span of time in whole hours. */
export interface Timerange {
  readonly from: Date;
  readonly to: Date;
}

/** The pages and the time that statistics cover. A series by day of the same needs it. */
export interface StatsScope {
  readonly span: Span;
}

/**
 * Parses a client's span of time and rounds it to hours; the default is the last 30 days.
 * @param names the client's names for the ends
 * @throws AppError `invalid`
 */
export function parseTimerange(
  ctx: Context,
  start: string | Date | null,
  end: string | Date | null,
  names: readonly [start: string, end: string],
): Timerange {
  const { expected, parse } = typeOf('timestamp');
  const timeOf = (given: string | Date | null, name: string) => {
    const time = given instanceof Date || given === null ? given : parse(given);
    if (time === undefined) throw invalid(name, mustBe(expected));
    return time as Date | null;
  };
  const [first, last] = [timeOf(start, names[0]), timeOf(end, names[1])];
  const now = ctx.clock();
  const until = last === null || last > now ? now : last;
  if (first !== null && first.getTime() >= until.getTime())
    throw invalid(names[0], outOfRange(`before ${until === now ? 'now' : names[1]}`));
  const isNow = until.getTime() > now.getTime() - NOW_MS;
  const endMs = (isNow ? Math.ceil : Math.floor)(until.getTime() / HOUR_MS) * HOUR_MS;
  const fromMs = Math.floor((first?.getTime() ?? endMs - DEFAULT_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS;
  const toMs = Math.max(endMs, fromMs + HOUR_MS);
  if (toMs - fromMs > MAX_DAYS * DAY_MS)
    throw invalid(names[0], outOfRange(`at most ${MAX_DAYS} days before ${names[1]}`));
  return { from: new Date(fromMs), to: new Date(toMs) };
}

/** The statistics of a page. @throws AppError `not_found` */
export async function pageStats(
  ctx: Context,
  ref: Ref,
  timerange: Timerange,
): Promise<PageStatsRow & StatsScope> {
  const [stats] = await statsOfPages(ctx, [await pages.get(ctx, ref)], timerange);
  return stats as PageStatsRow & StatsScope;
}

/** The statistics of several pages, in the order of their ids; null for a page that the caller does not own. */
export async function statsByPage(
  ctx: Context,
  ids: readonly bigint[],
  timerange: Timerange,
): Promise<((PageStatsRow & StatsScope) | null)[]> {
  const rows = (await pages.getMany(ctx, ids)).filter((row) => row !== null);
  const byId = new Map((await statsOfPages(ctx, rows, timerange)).map((stats) => [stats.page.id, stats]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** For each workspace, one statement counts for its pages, and one finds the steps that show them. */
async function statsOfPages(
  ctx: Context,
  rows: readonly PageRow[],
  timerange: Timerange,
): Promise<(PageStatsRow & StatsScope)[]> {
  const { tenancy } = requireScope(ctx, scope);
  const spans = rows.map(({ id, workspaceId }): Span => ({ workspaceId, pageIds: [id], ...timerange }));
  const [sums, showing] = await Promise.all([
    sumsByPage(ctx, spans, timerange),
    perWorkspace(spans, (workspaceId, pageIds) => findShowingSteps(ctx, tenancy, workspaceId, pageIds)),
  ]);
  const steps = new Map(showing.map((step) => [step.pageId, step]));
  const sumsOf = rows.map(({ id }) => sums.get(String(id)) ?? []);
  const currencies = await currenciesOf(ctx, spans, sumsOf);
  return rows.map((row, index) => {
    const { id, publicId, name, currentPath } = row;
    const [own = [], step] = [sumsOf[index], steps.get(id)];
    const currency = currencies[index] as string;
    return {
      ...{ span: spans[index] as Span, currency, timerange, funnel: step?.funnel ?? null },
      page: { id, publicId, name, currentPath, type: step === undefined ? 'landing_page' : 'funnel_page' },
      step: stepOf(row, step?.name ?? name, currency, own),
    };
  });
}

/** The statistics of the pages that a funnel shows. @throws AppError `not_found` */
export async function funnelStats(
  ctx: Context,
  ref: Ref,
  timerange: Timerange,
): Promise<FunnelStatsRow & StatsScope> {
  const [stats] = await statsByFunnel(ctx, [await getStructure(ctx, ref)], timerange);
  return stats as FunnelStatsRow & StatsScope;
}

/** The statistics of several funnels, in their order: one statement for each workspace. */
export async function statsByFunnel(
  ctx: Context,
  structures: readonly Structure[],
  timerange: Timerange,
): Promise<(FunnelStatsRow & StatsScope)[]> {
  requireScope(ctx, scope);
  const shown = structures.map(({ funnel: { id, publicId, name, workspaceId }, steps }) => {
    const pages = [...walk(steps)].flatMap(({ page, name }) => (page === null ? [] : [{ page, name }]));
    const span: Span = { workspaceId, pageIds: pages.map(({ page }) => page.id), ...timerange };
    return { funnel: { id, publicId, name }, pages, span };
  });
  const byPage = await sumsByPage(
    ctx,
    shown.map(({ span }) => span),
    timerange,
  );
  const sumsOfEach = shown.map(({ pages }) => pages.map(({ page }) => byPage.get(String(page.id)) ?? []));
  const currencies = await currenciesOf(
    ctx,
    shown.map(({ span }) => span),
    sumsOfEach.map((sums) => sums.flat()),
  );
  return shown.map(({ funnel, pages, span }, nth) => {
    const sumsOf = sumsOfEach[nth] ?? [];
    const currency = currencies[nth] as string;
    const total = addUp(currency, sumsOf.flat());
    return {
      ...{ span, currency, timerange, funnel },
      summary: {
        ...{ currency, pageviews: total.viewsAll, upfrontSalesCount: total.salesCount },
        upfrontSales: toAmount(total.sales, currency),
        recurringSales: toAmount(total.recurring, currency),
        averageCartValue: toAmount(quotient(total.sales, total.salesCount), currency),
        earningsPerClick: toAmount(quotient(total.sales + total.recurring, total.viewsAll), currency),
      },
      steps: pages.map(({ page, name }, index) => stepOf(page, name, currency, sumsOf[index] ?? [])),
      pagePublicIds: pages.map(({ page }) => page.publicId),
    };
  });
}

/**
 * The statistics by day, added up over the pages of each; days without events are left out. One statement for each workspace and span.
 */
export async function dailyStats(
  ctx: Context,
  counted: readonly (StatsScope & { readonly currency: string })[],
): Promise<DayStatsRow[][]> {
  const { tenancy } = requireScope(ctx, scope);
  const found = counted.map((): DayStatsRow[] => []);
  const indexed = counted.map((one, index) => ({ ...one, index }));
  const together = Map.groupBy(indexed, ({ span: { workspaceId, from, to } }) =>
    [workspaceId, from.getTime(), to.getTime()].join(),
  );
  await Promise.all(
    [...together.values()].map(async (own) => {
      const spans = own.map(({ span }) => span);
      const sums = await findDaySums(ctx, tenancy, spans[0] as Span, spans);
      for (const [of, daySums] of Map.groupBy(sums, (one) => one.of)) {
        const [nth = '', day = ''] = of.split(' ');
        const one = own[Number(nth)];
        if (one === undefined) continue;
        const { currency, index } = one;
        found[index]?.push({ ...{ day, currency }, ...outputSums(currency, addUp(currency, daySums)) });
      }
    }),
  );
  return found;
}

/** Calls `find` once for each workspace, with all its pages. */
async function perWorkspace<Found>(
  spans: readonly Span[],
  find: (workspaceId: bigint, pageIds: bigint[]) => Promise<Found[]>,
): Promise<Found[]> {
  const found = [...Map.groupBy(spans, ({ workspaceId }) => workspaceId)].map(([workspaceId, own]) =>
    find(workspaceId, [...new Set(own.flatMap(({ pageIds }) => pageIds))]),
  );
  return (await Promise.all(found)).flat();
}

/** The sums of the pages, by page id. */
async function sumsByPage(
  ctx: Context,
  spans: readonly Span[],
  timerange: Timerange,
): Promise<Map<string, Sums[]>> {
  const { tenancy } = requireScope(ctx, scope);
  const sums = await perWorkspace(spans, (workspaceId, pageIds) =>
    findPageSums(ctx, tenancy, { workspaceId, pageIds, ...timerange }),
  );
  return Map.groupBy(sums, (one) => one.of);
}

/** The currency of each span: the one with the most sales or, without sales, that of the workspace. */
async function currenciesOf(
  { store }: Context,
  spans: readonly Span[],
  sums: readonly (readonly Sums[])[],
): Promise<string[]> {
  const sold = sums.map(mostSoldCurrency);
  const without = new Set(spans.flatMap(({ workspaceId }, nth) => (sold[nth] === null ? [workspaceId] : [])));
  const found = await Promise.all(
    [...without].map(async (id) => [id, await findCurrency(store, id)] as const),
  );
  const ofWorkspace = new Map(found);
  return spans.map(({ workspaceId }, nth) => sold[nth] ?? ofWorkspace.get(workspaceId) ?? DEFAULT_CURRENCY);
}

/** The currency with the most sales; null if nothing was sold. */
function mostSoldCurrency(sums: readonly Sums[]): string | null {
  const sales = new Map<string, number>();
  for (const { currency, salesCount, recurringSalesCount } of sums)
    if (currency !== '') sales.set(currency, (sales.get(currency) ?? 0) + salesCount + recurringSalesCount);
  const [most] = [...sales].toSorted(([a, of], [b, than]) => than - of || (a < b ? -1 : 1));
  return most?.[0] ?? null;
}

/** Sums whose amounts are in the smallest unit of their currency. */
interface Total {
  readonly viewsAll: number;
  readonly viewsUnique: number;
  readonly optins: number;
  readonly salesCount: number;
  readonly sales: bigint;
  readonly recurringSalesCount: number;
  readonly recurring: bigint;
}

/** Adds sums up, without sales in other currencies. */
function addUp(currency: string, sums: readonly Sums[]): Total {
  const own = sums.filter((one) => one.currency === currency);
  const sum = (
    of: readonly Sums[],
    property: 'viewsAll' | 'viewsUnique' | 'optins' | 'salesCount' | 'recurringSalesCount',
  ) => of.reduce((total, one) => total + one[property], 0);
  const amount = (property: 'salesValue' | 'recurringSalesValue') =>
    own.reduce((total, one) => total + toUnits(one[property], currency), 0n);
  return {
    ...{
      viewsAll: sum(sums, 'viewsAll'),
      viewsUnique: sum(sums, 'viewsUnique'),
      optins: sum(sums, 'optins'),
    },
    ...{ salesCount: sum(own, 'salesCount'), sales: amount('salesValue') },
    ...{ recurringSalesCount: sum(own, 'recurringSalesCount'), recurring: amount('recurringSalesValue') },
  };
}

function outputSums(currency: string, { sales, recurring, ...counts }: Total) {
  return {
    ...counts,
    salesValue: toAmount(sales, currency),
    recurringSalesValue: toAmount(recurring, currency),
  };
}

function stepOf(
  { id, currentPath }: Pick<PageRow, 'id' | 'currentPath'>,
  name: string,
  currency: string,
  sums: readonly Sums[],
): StepStatsRow {
  const total = addUp(currency, sums);
  const { viewsAll, viewsUnique, optins, salesCount, sales, recurring } = total;
  return {
    ...{ pageId: id, name, currentPath, currency, ...outputSums(currency, total) },
    optinRate: rate(optins, viewsUnique),
    salesRate: rate(salesCount, viewsUnique),
    earningsPerView: toAmount(quotient(sales + recurring, viewsAll), currency),
    earningsPerUniqueView: toAmount(quotient(sales + recurring, viewsUnique), currency),
  };
}

/** With four digits after the decimal point; 0 of none. */
function rate(part: number, of: number): number {
  return of === 0 ? 0 : Math.round((part / of) * 10_000) / 10_000;
}

/** A quotient, rounded half up; 0 if `by` is 0. Amounts are never negative. */
function quotient(units: bigint, by: number): bigint {
  return by === 0 ? 0n : (2n * units + BigInt(by)) / (2n * BigInt(by));
}

/** Converts an amount to the smallest unit of its currency; further digits are cut off. */
function toUnits(amount: string, currency: string): bigint {
  const [whole = '0', digits = ''] = amount.split('.');
  const places = decimalPlacesOf(currency) ?? 0;
  return BigInt(whole + digits.padEnd(places, '0').slice(0, places));
}

function toAmount(units: bigint, currency: string): string {
  const places = decimalPlacesOf(currency) ?? 0;
  const digits = String(units).padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
