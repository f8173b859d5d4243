// The statistics of a page, and of a funnel.
import { describe, type Resource } from '../../resources/description/resource.ts';
import { funnel } from '../../resources/funnels.ts';
import { FUNNEL_STATS, OF_FUNNEL, OF_PAGE, PAGE_STATS } from '../../resources/page-stats.ts';
import { page } from '../../resources/pages.ts';
import * as stats from '../../services/funnels/page-stats.ts';
import { parseTimerange, SPAN_ENDS } from '../../services/funnels/stats-timeranges.ts';
import { refusalOfOtherSpellings } from '../other-spellings.ts';
import { type OutputForm, objectOf, outputOf } from '../responses.ts';
import { type Query, type Route, route } from '../route.ts';

const pageStats = describe({
  type: 'PageStats',
  title: 'Page statistics',
  table: page.table,
  description: OF_PAGE,
  fields: PAGE_STATS,
});

const funnelStats = describe({
  type: 'FunnelStats',
  title: 'Funnel statistics',
  table: funnel.table,
  description: OF_FUNNEL,
  fields: FUNNEL_STATS,
});

const START = 'timerange_start';
const END = 'timerange_end';
const TIME = { type: 'string', format: 'date-time' };

// A misspelled parameter would be ignored, and the answer would cover the last 30 days.
const refuseMisspellings = refusalOfOtherSpellings([START, END], /timerange/);

const timerangeQuery: Query<{ readonly start: string | null; readonly end: string | null }> = {
  parameters: [
    { name: START, description: SPAN_ENDS.start, schema: TIME },
    { name: END, description: SPAN_ENDS.end, schema: TIME },
  ],
  parse(query) {
    refuseMisspellings(query);
    return { start: query.getAll(START).at(-1) ?? null, end: query.getAll(END).at(-1) ?? null };
  },
};

function statsRoute<Row extends object>(
  path: '/api/v2/funnels/:id/stats' | '/api/v2/pages/:id/stats',
  operationId: string,
  resource: Resource,
  get: (...args: Parameters<typeof stats.pageStats>) => Promise<Row>,
): Route {
  return route({
    ...{ method: 'GET', path, operationId, resource, scope: stats.scope, query: timerangeQuery },
    summary: `Gets the ${resource.title.toLowerCase()} of a time range`,
    response: objectOf(outputOf(resource) as OutputForm<object>, 'The statistics.'),
    handle: ({ ctx, params, query: { start, end } }) =>
      get(ctx, params.id, parseTimerange(ctx, start, end, [START, END])),
  });
}

export const funnelStatsRoute = statsRoute(
  '/api/v2/funnels/:id/stats',
  'getFunnelStats',
  funnelStats,
  stats.funnelStats,
);
export const pageStatsRoute = statsRoute(
  '/api/v2/pages/:id/stats',
  'getPageStats',
  pageStats,
  stats.pageStats,
);
