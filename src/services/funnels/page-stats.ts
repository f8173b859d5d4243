// The statistics of pages and funnels: which pages count, and their sums (page-sums.ts) as REST and GraphQL show them.
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
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
import {
  addUp,
  averageSale,
  earningsPer,
  type Figures,
  figuresOf,
  mostSoldCurrency,
  outputSums,
  rate,
  toAmount,
} from './page-sums.ts';
import type { Timerange } from './stats-timeranges.ts';

const pages = readsOf(page);

export const scope = scopeFor(funnel, 'read');

/** The currency if nothing was sold and nothing is for sale. */
const DEFAULT_CURRENCY = 'USD';

/** The pages and the time that statistics cover. A series by day of the same needs it. */
export interface StatsScope {
  readonly span: Span;
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
