// The statistics of pages, steps and funnels, also as a series by day. Amounts are lists: one for each currency.
import type { FieldMap } from '@pothos/core';
import { notFound } from '../../errors.ts';
import type { Fields } from '../../resources/description/fields.ts';
import { funnel } from '../../resources/funnels.ts';
import { OF_FUNNEL, OF_PAGE } from '../../resources/page-stats.ts';
import { page } from '../../resources/pages.ts';
import type { StepNode, Structure } from '../../services/funnels/funnel-steps.ts';
import * as stats from '../../services/funnels/page-stats.ts';
import type { Figures } from '../../services/funnels/page-sums.ts';
import {
  DEFAULT_DAYS,
  MAX_DAYS,
  parseTimerange,
  type Timerange,
} from '../../services/funnels/stats-timeranges.ts';
import { builder, type Types } from '../builder.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { assumedValues } from '../field-options.ts';
import { moneyType } from '../money.ts';
import { nodeOf } from '../nouns.ts';
import { resourceFields } from '../resource-fields.ts';
import { defineScalarsOf } from '../scalars.ts';
import { FunnelStep, loadSteps, PageStep, STEPS_OF_A_FUNNEL } from './funnel-steps.ts';
import { completePage } from './pages.ts';

/** The cost of statistics, in rows: they are sums over many hours. */
const COST = 20;
/** The cost of a funnel's statistics: they read its workflow and the hours of all its pages. */
const FUNNEL_COST = 200;

const Funnel = nodeOf(funnel);
const Page = nodeOf(page);

type FieldBuilder<Row> = PothosSchemaTypes.ObjectFieldBuilder<Types, Row>;

type AmountName = {
  [Name in keyof Figures]: Figures[Name] extends number ? never : Name;
}[keyof Figures];

/** A field with an amount for each currency. */
function amountsField(t: object, name: AmountName, description: string): FieldMap[string] {
  return (t as FieldBuilder<Figures>).field({
    type: [moneyType()],
    rows: assumedValues(),
    description: `${description} One amount for each currency; empty without sales.`,
    resolve: (figures) => figures[name],
  });
}

/** The fields that all statistics share. */
const Stats = builder.interfaceRef<Figures>('Stats').implement({
  description: 'What was counted: visits and sales.',
  scope: stats.scope,
  fields: (t) => ({
    views: t.exposeInt('views', { description: 'The number of visits.' }),
    uniqueViews: t.exposeInt('uniqueViews', {
      description: 'The number of first visits: those of visitors who had never visited the page before.',
    }),
    optIns: t.exposeInt('optIns', {
      description: 'The number of first visits by visitors who were already contacts.',
    }),
    salesCount: t.exposeInt('salesCount', {
      description: 'The number of paid invoices, without renewals, refunds and cancellations.',
    }),
    sales: amountsField(t, 'sales', 'The value of these sales.'),
    recurringSalesCount: t.exposeInt('recurringSalesCount', { description: 'The number of paid renewals.' }),
    recurringSales: amountsField(t, 'recurringSales', 'The value of these renewals.'),
  }),
});

const DAY: Fields = { day: { type: 'date', description: 'The day, in UTC.' } };
defineScalarsOf(DAY);

const DayStats = builder.objectRef<stats.DayFigures>('DayStats').implement({
  description: 'The statistics of one day, for all pages together.',
  interfaces: [Stats],
  scope: stats.scope,
  fields: (t) => resourceFields(t, DAY),
});

/** The fields of statistics of a range of time. */
function rangeFields(t: object): FieldMap {
  const fields = t as FieldBuilder<stats.StatsScope>;
  return {
    from: fields.field({
      type: 'DateTime',
      description: 'The start of the time range: the requested time, rounded down to the hour.',
      resolve: ({ span }) => span.from,
    }),
    to: fields.field({
      type: 'DateTime',
      description: 'The end of the time range, which is not part of it: a full hour.',
      resolve: ({ span }) => span.to,
    }),
    series: fields.field({
      type: [DayStats],
      nullable: true,
      scope: stats.scope,
      rows: DEFAULT_DAYS,
      cost: COST,
      description: 'The statistics of each day of UTC. Days without any activity are left out.',
      resolve: (counted, _args, ctx) =>
        loadBatched(ctx, 'stats.series', counted, (all) => stats.dailyFigures(ctx, all)),
    }),
  };
}

const EARNINGS = 'The value of all sales, divided by';

const StepStats = builder.objectRef<stats.StepFigures>('StepStats').implement({
  description: OF_PAGE,
  interfaces: [Stats],
  scope: stats.scope,
  fields: (t) => ({
    step: t.field({
      type: PageStep.ref,
      nullable: true,
      scope: stats.scope,
      description: 'The step that shows the page; null for a page outside of funnels.',
      resolve: ({ step }, _args, ctx) => (typeof step === 'bigint' ? PageStep.load(ctx, step) : step),
    }),
    page: t.field({
      type: Page.ref,
      scope: stats.scope,
      description: 'The page whose visits and sales were counted.',
      async resolve({ page: counted }, _args, ctx, info) {
        const found = await completePage(ctx, counted, info);
        if (found === null) throw notFound(page.title);
        return found;
      },
    }),
    optInRate: t.exposeFloat('optInRate', { description: '`optIns` divided by `uniqueViews`, from 0 to 1.' }),
    salesRate: t.exposeFloat('salesRate', { description: '`salesCount` divided by `uniqueViews`.' }),
    earningsPerView: amountsField(t, 'earningsPerView', `${EARNINGS} \`views\`.`),
    earningsPerUniqueView: amountsField(t, 'earningsPerUniqueView', `${EARNINGS} \`uniqueViews\`.`),
    ...rangeFields(t),
  }),
});

const FunnelStats = builder.objectRef<stats.FunnelFigures>('FunnelStats').implement({
  description: OF_FUNNEL,
  interfaces: [Stats],
  scope: stats.scope,
  fields: (t) => ({
    averageSale: amountsField(t, 'averageSale', '`sales` divided by their number.'),
    earningsPerView: amountsField(t, 'earningsPerView', `${EARNINGS} \`views\`.`),
    steps: t.field({
      type: [StepStats],
      scope: stats.scope,
      rows: STEPS_OF_A_FUNNEL,
      description:
        'The statistics of each step that shows a page, in the order of the workflow. Not paginated: a workflow is always read completely.',
      resolve: ({ steps }) => steps,
    }),
    ...rangeFields(t),
  }),
});

const rangeArgs = builder.args((t) => ({
  from: t.field({
    type: 'DateTime',
    description: `The start, rounded down to the hour. By default ${DEFAULT_DAYS} days before the end, and at most ${MAX_DAYS} days before it.`,
  }),
  to: t.field({
    type: 'DateTime',
    description:
      'The end, which is not included, rounded down to the hour. By default and at the latest now, with the whole current hour.',
  }),
}));

interface RangeInput {
  readonly from?: Date | string | null | undefined;
  readonly to?: Date | string | null | undefined;
}

/** @throws AppError `invalid` */
function timerangeOf(ctx: GraphContext, { from = null, to = null }: RangeInput) {
  return parseTimerange(ctx, from, to, ['from', 'to']);
}

/** The key of the loader: one batch loads the statistics of one time range. */
const loaderKey = (of: string, { from, to }: Timerange) => `${of}.stats ${from.getTime()} ${to.getTime()}`;

builder.objectField(Page.ref, 'stats', (t) =>
  t.field({
    type: StepStats,
    nullable: true,
    scope: stats.scope,
    cost: COST,
    columns: ['id'],
    description: OF_PAGE,
    args: rangeArgs,
    async resolve({ id }, range, ctx) {
      const timerange = timerangeOf(ctx, range);
      const found = await loadBatched(ctx, loaderKey(page.table, timerange), id, (ids) =>
        stats.figuresOfPages(ctx, ids, timerange),
      );
      if (found === null) throw notFound(page.title);
      return found;
    },
  }),
);

builder.interfaceField(FunnelStep, 'stats', (t) =>
  t.field({
    type: StepStats,
    nullable: true,
    scope: stats.scope,
    cost: COST,
    columns: ['page'],
    description: `${OF_PAGE} Null for a split, which shows no page.`,
    args: rangeArgs,
    resolve(step, range, ctx) {
      const timerange = timerangeOf(ctx, range);
      if (step.kind !== 'page') return null;
      return loadBatched(ctx, loaderKey('funnel_steps', timerange), step as StepNode, (steps) =>
        stats.figuresOfSteps(ctx, steps, timerange),
      );
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
    args: rangeArgs,
    resolve({ id }, range, ctx) {
      const timerange = timerangeOf(ctx, range);
      return loadBatched(ctx, loaderKey(funnel.table, timerange), id, async (ids) => {
        const structures = await Promise.all(ids.map((one) => loadStructure(ctx, one)));
        return stats.figuresOfFunnels(ctx, structures, timerange);
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
