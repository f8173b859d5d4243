// The statistics of pages and funnels. Amounts are exact: whole numbers of the smallest unit of their currency.
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, mustBe, outOfRange } from '../../errors.ts';
import { decimalPlacesOf } from '../../resources/description/currencies.ts';
import { typeOf } from '../../resources/description/field-types.ts';
import { funnel } from '../../resources/funnels.ts';
import type { FunnelStatsRow, PageStatsRow, StepStatsRow } from '../../resources/page-stats.ts';
import { type PageOfStep, type PageRow, page } from '../../resources/pages.ts';
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
import { getStructure, inOrder, type StepNode, type Structure } from './funnel-steps.ts';

const pages = readsOf(page);

export const scope = scopeFor(funnel, 'read');

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const DEFAULT_DAYS = 30;
export const MAX_DAYS = 366;
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
export async function pageStats(ctx: Context, ref: Ref, timerange: Timerange): Promise<PageStatsRow> {
  const { tenancy } = requireScope(ctx, scope);
  const row = await pages.get(ctx, ref);
  const { id, publicId, name, currentPath, workspaceId } = row;
  const span: Span = { workspaceId, pageIds: [id], ...timerange };
  const [sums, [step]] = await Promise.all([
    sumsByPage(ctx, [span], timerange),
    findShowingSteps(ctx, tenancy, workspaceId, [id]),
  ]);
  const own = sums.get(String(id)) ?? [];
  const currency = await currencyOf(ctx, workspaceId, own);
  return {
    ...{ currency, timerange, funnel: step?.funnel ?? null },
    page: { id, publicId, name, currentPath, type: step === undefined ? 'landing_page' : 'funnel_page' },
    step: stepOf(row, step?.name ?? name, currency, own),
  };
}

/** The statistics of the pages that a funnel shows. @throws AppError `not_found` */
export async function funnelStats(ctx: Context, ref: Ref, timerange: Timerange): Promise<FunnelStatsRow> {
  const structure = await getStructure(ctx, ref);
  const { id, publicId, name, workspaceId } = structure.funnel;
  const shown = pageStepsOf(structure);
  const span: Span = { workspaceId, pageIds: shown.map(({ page }) => page.id), ...timerange };
  const byPage = await sumsByPage(ctx, [span], timerange);
  const sumsOf = shown.map(({ page }) => byPage.get(String(page.id)) ?? []);
  const currency = await currencyOf(ctx, workspaceId, sumsOf.flat());
  const total = addUp(currency, sumsOf.flat());
  return {
    ...{ currency, timerange, funnel: { id, publicId, name } },
    summary: {
      ...{ currency, pageviews: total.viewsAll, upfrontSalesCount: total.salesCount },
      upfrontSales: toAmount(total.sales, currency),
      recurringSales: toAmount(total.recurring, currency),
      averageCartValue: toAmount(averageSale(total), currency),
      earningsPerClick: toAmount(earningsPer(total, 'viewsAll'), currency),
    },
    steps: shown.map(({ page, name }, index) => stepOf(page, name, currency, sumsOf[index] ?? [])),
    pagePublicIds: shown.map(({ page }) => page.publicId),
  };
}

/** A step that shows a page. */
type PageStep = StepNode & { readonly page: NonNullable<StepNode['page']> };

function pageStepsOf({ steps }: Structure): PageStep[] {
  return inOrder(steps).filter((step): step is PageStep => step.page !== null);
}

/** An amount of money. */
interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** What was counted, and the sales of each currency, in the order of the currencies. */
export interface Figures {
  readonly views: number;
  readonly uniqueViews: number;
  readonly optIns: number;
  readonly salesCount: number;
  readonly sales: readonly Money[];
  readonly recurringSalesCount: number;
  readonly recurringSales: readonly Money[];
  readonly averageSale: readonly Money[];
  readonly optInRate: number;
  readonly salesRate: number;
  readonly earningsPerView: readonly Money[];
  readonly earningsPerUniqueView: readonly Money[];
}

/** The figures of a page, with the step that shows it: the whole step if it was read before, otherwise its id, or null without one. */
export interface StepFigures extends Figures, StatsScope {
  readonly page: PageOfStep;
  readonly step: StepNode | bigint | null;
}

export interface FunnelFigures extends Figures, StatsScope {
  readonly steps: readonly StepFigures[];
}

/** The figures of pages, in the order of their ids; null for a page that the caller does not own. */
export async function figuresOfPages(
  ctx: Context,
  ids: readonly bigint[],
  timerange: Timerange,
): Promise<(StepFigures | null)[]> {
  const { tenancy } = requireScope(ctx, scope);
  const rows = (await pages.getMany(ctx, ids)).filter((row) => row !== null);
  const spans = rows.map(({ id, workspaceId }): Span => ({ workspaceId, pageIds: [id], ...timerange }));
  const [sums, showing] = await Promise.all([
    sumsByPage(ctx, spans, timerange),
    perWorkspace(spans, (workspaceId, pageIds) => findShowingSteps(ctx, tenancy, workspaceId, pageIds)),
  ]);
  const steps = new Map(showing.map((step) => [step.pageId, step.id]));
  const found = new Map(
    rows.map((page, index): [bigint, StepFigures] => {
      const figures = figuresOf(sums.get(String(page.id)) ?? []);
      return [page.id, { ...figures, page, step: steps.get(page.id) ?? null, span: spans[index] as Span }];
    }),
  );
  return ids.map((id) => found.get(id) ?? null);
}

/**
 * The figures of the pages of steps that were read with their pages, in the order of the steps; null for a step that shows none. One
 * statement for each workspace.
 */
export async function figuresOfSteps(
  ctx: Context,
  steps: readonly StepNode[],
  timerange: Timerange,
): Promise<(StepFigures | null)[]> {
  const spans = steps.map(({ page, workspaceId }): Span | null =>
    page === null || workspaceId === undefined ? null : { workspaceId, pageIds: [page.id], ...timerange },
  );
  const sums = await sumsByPage(
    ctx,
    spans.filter((span) => span !== null),
    timerange,
  );
  return steps.map((step, index) => {
    const { page } = step;
    const span = spans[index] ?? null;
    return page === null || span === null
      ? null
      : { ...figuresOf(sums.get(String(page.id)) ?? []), page, step, span };
  });
}

/** The figures of the pages that funnels show, in the order of the funnels: one statement for each workspace. */
export async function figuresOfFunnels(
  ctx: Context,
  structures: readonly Structure[],
  timerange: Timerange,
): Promise<FunnelFigures[]> {
  const shown = structures.map((structure) => {
    const { workspaceId } = structure.funnel;
    const steps = pageStepsOf(structure);
    return { steps, span: { workspaceId, pageIds: steps.map(({ page }) => page.id), ...timerange } };
  });
  const byPage = await sumsByPage(
    ctx,
    shown.map(({ span }) => span),
    timerange,
  );
  return shown.map(({ steps, span }) => {
    const sumsOf = steps.map(({ page }) => byPage.get(String(page.id)) ?? []);
    const ofSteps = steps.map((step, index): StepFigures => {
      const { page } = step;
      return { ...figuresOf(sumsOf[index] ?? []), page, step, span: { ...span, pageIds: [page.id] } };
    });
    return { ...figuresOf(sumsOf.flat()), steps: ofSteps, span };
  });
}

export interface DayFigures extends Figures {
  /** In UTC. */
  readonly day: string;
}

/** The figures of each day, added up over the pages of each; days without events are left out. One statement for each workspace and span. */
export async function dailyFigures(ctx: Context, counted: readonly StatsScope[]): Promise<DayFigures[][]> {
  const { tenancy } = requireScope(ctx, scope);
  const found = counted.map((): DayFigures[] => []);
  const indexed = counted.map(({ span }, index) => ({ span, index }));
  const together = Map.groupBy(indexed, ({ span: { workspaceId, from, to } }) =>
    [workspaceId, from.getTime(), to.getTime()].join(),
  );
  await Promise.all(
    [...together.values()].map(async (own) => {
      const spans = own.map(({ span }) => span);
      const sums = await findDaySums(ctx, tenancy, spans[0] as Span, spans);
      for (const [of, daySums] of Map.groupBy(sums, (one) => one.of)) {
        const [nth = '', day = ''] = of.split(' ');
        const index = own[Number(nth)]?.index;
        if (index !== undefined) found[index]?.push({ day, ...figuresOf(daySums) });
      }
    }),
  );
  return found;
}

/** Adds sums up, in every currency that something was sold in. */
function figuresOf(sums: readonly Sums[]): Figures {
  const currencies = [...new Set(sums.map(({ currency }) => currency))].filter((one) => one !== '').sort();
  const totals = currencies.map((currency) => ({ currency, ...addUp(currency, sums) }));
  const amounts = (of: readonly CurrencyTotal[], unitsOf: (total: CurrencyTotal) => bigint): Money[] =>
    of.map((total) => ({ amount: toAmount(unitsOf(total), total.currency), currency: total.currency }));
  const sold = totals.filter(({ salesCount }) => salesCount > 0);
  const renewed = totals.filter(({ recurringSalesCount }) => recurringSalesCount > 0);
  const { viewsAll, viewsUnique, optins } = addUp('', sums);
  const salesCount = sold.reduce((count, total) => count + total.salesCount, 0);
  return {
    ...{ views: viewsAll, uniqueViews: viewsUnique, optIns: optins, salesCount },
    sales: amounts(sold, (total) => total.sales),
    averageSale: amounts(sold, averageSale),
    recurringSalesCount: renewed.reduce((count, total) => count + total.recurringSalesCount, 0),
    recurringSales: amounts(renewed, (total) => total.recurring),
    optInRate: rate(optins, viewsUnique),
    salesRate: rate(salesCount, viewsUnique),
    earningsPerView: amounts(totals, (total) => earningsPer(total, 'viewsAll')),
    earningsPerUniqueView: amounts(totals, (total) => earningsPer(total, 'viewsUnique')),
  };
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

/** The currency of amounts: the one with the most sales or, without sales, that of the workspace. */
async function currencyOf({ store }: Context, workspaceId: bigint, sums: readonly Sums[]): Promise<string> {
  return mostSoldCurrency(sums) ?? (await findCurrency(store, workspaceId)) ?? DEFAULT_CURRENCY;
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

interface CurrencyTotal extends Total {
  readonly currency: string;
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
  const { viewsUnique, optins, salesCount } = total;
  return {
    ...{ pageId: id, name, currentPath, currency, ...outputSums(currency, total) },
    optinRate: rate(optins, viewsUnique),
    salesRate: rate(salesCount, viewsUnique),
    earningsPerView: toAmount(earningsPer(total, 'viewsAll'), currency),
    earningsPerUniqueView: toAmount(earningsPer(total, 'viewsUnique'), currency),
  };
}

/** The value of the average sale. */
const averageSale = ({ sales, salesCount }: Total): bigint => quotient(sales, salesCount);

/** The value of all sales for each view. */
const earningsPer = (total: Total, views: 'viewsAll' | 'viewsUnique'): bigint =>
  quotient(total.sales + total.recurring, total[views]);

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
