// The statistics of pages and funnels, also as a series by day.
import { notFound } from '../../errors.ts';
import { funnel } from '../../resources/funnels.ts';
import {
  DAY_STATS,
  FUNNEL_STATS,
  type FunnelStatsRow,
  OF_FUNNEL,
  OF_PAGE,
  PAGE_STATS,
  type PageStatsRow,
  STEP_STATS,
  SUMMARY,
} from '../../resources/page-stats.ts';
import { page } from '../../resources/pages.ts';
import type { Structure } from '../../services/funnels/funnel-steps.ts';
import * as stats from '../../services/funnels/page-stats.ts';
import { builder } from '../builder.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';
import { loadSteps, STEPS_OF_A_FUNNEL } from './funnel-steps.ts';

/** The cost of statistics, in rows: they are sums over many hours. */
const COST = 20;
/** The cost of a funnel's statistics: they read its workflow and the hours of all its pages. */
const FUNNEL_COST = 200;

const Funnel = nodeOf(funnel);

const Timerange = objectType('Timerange', PAGE_STATS.timerange.description, PAGE_STATS.timerange.object);
const StepStats = objectType('StepStats', 'The statistics of one page.', STEP_STATS);
const DayStats = objectType('DayStats', 'The statistics of one day, for all pages together.', DAY_STATS);
const FunnelSummary = objectType(
  'FunnelStatsSummary',
  'The statistics of all pages of a funnel together.',
  SUMMARY,
);

/** The fields that the statistics of a page and of a funnel share. */
const Stats = builder.interfaceRef<(PageStatsRow | FunnelStatsRow) & stats.StatsScope>('Stats').implement({
  description: 'The statistics of a time range.',
  fields: (t) => ({
    currency: t.string({
      description: PAGE_STATS.currency.description,
      resolve: ({ currency }) => currency,
    }),
    ...objectFields(t, PAGE_STATS, { timerange: Timerange }),
    series: t.field({
      type: [DayStats],
      nullable: true,
      rows: stats.DEFAULT_DAYS,
      cost: COST,
      description:
        'The statistics of each day, for all pages together. Days without any activity are left out.',
      resolve: (counted, _args, ctx) =>
        loadBatched(ctx, 'stats.series', counted, (all) => stats.dailyStats(ctx, all)),
    }),
  }),
});

const PageStats = builder.objectRef<PageStatsRow & stats.StatsScope>('PageStats').implement({
  description: OF_PAGE,
  interfaces: [Stats],
  fields: (t) => objectFields(t, PAGE_STATS, { step: StepStats }),
});

const FunnelStats = builder.objectRef<FunnelStatsRow & stats.StatsScope>('FunnelStats').implement({
  description: OF_FUNNEL,
  interfaces: [Stats],
  fields: (t) => ({
    ...objectFields(t, FUNNEL_STATS, { summary: FunnelSummary }),
    steps: t.field({
      type: [StepStats],
      rows: STEPS_OF_A_FUNNEL,
      description: FUNNEL_STATS.steps.description,
      resolve: ({ steps }) => steps,
    }),
  }),
});

const spanArgs = builder.args((t) => ({
  timerangeStart: t.field({ type: 'DateTime', description: stats.SPAN_ENDS.start }),
  timerangeEnd: t.field({ type: 'DateTime', description: stats.SPAN_ENDS.end }),
}));

interface TimeSpanInput {
  readonly timerangeStart?: Date | string | null | undefined;
  readonly timerangeEnd?: Date | string | null | undefined;
}

/** @throws AppError `invalid` */
function timerangeOf(ctx: GraphContext, { timerangeStart = null, timerangeEnd = null }: TimeSpanInput) {
  return stats.parseTimerange(ctx, timerangeStart, timerangeEnd, ['timerangeStart', 'timerangeEnd']);
}

/** The key of the loader: one batch loads the statistics of one time range. */
const loaderKey = (of: string, { from, to }: stats.Timerange) =>
  `${of}.stats ${from.getTime()} ${to.getTime()}`;

builder.objectField(nodeOf(page).ref, 'stats', (t) =>
  t.field({
    type: PageStats,
    nullable: true,
    scope: stats.scope,
    cost: COST,
    columns: ['id'],
    description: OF_PAGE,
    args: spanArgs,
    async resolve({ id }, span, ctx) {
      const timerange = timerangeOf(ctx, span);
      const found = await loadBatched(ctx, loaderKey(page.table, timerange), id, (ids) =>
        stats.statsByPage(ctx, ids, timerange),
      );
      if (found === null) throw notFound(page.title);
      return found;
    },
  }),
);

builder.objectField(Funnel.ref, 'stats', (t) =>
  t.field({
    type: FunnelStats,
    nullable: true,
    scope: stats.scope,
    cost: FUNNEL_COST,
    columns: ['id'],
    description: OF_FUNNEL,
    args: spanArgs,
    resolve({ id }, span, ctx) {
      const timerange = timerangeOf(ctx, span);
      return loadBatched(ctx, loaderKey(funnel.table, timerange), id, async (ids) => {
        const structures = await Promise.all(ids.map((one) => loadStructure(ctx, one)));
        return stats.statsByFunnel(ctx, structures, timerange);
      });
    },
  }),
);

/** The workflow of a funnel, read once per request even for several time ranges. @throws AppError `not_found` */
async function loadStructure(ctx: GraphContext, id: bigint): Promise<Structure> {
  const [row, steps] = await Promise.all([Funnel.load(ctx, id), loadSteps(ctx, id)]);
  if (row === null) throw notFound(funnel.title);
  return { funnel: row, steps };
}
