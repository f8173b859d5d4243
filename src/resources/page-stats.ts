// The statistics of pages and funnels for a time range. They are not nouns, but sums over the hours of pages.
import type { Fields, RowOf } from './description/fields.ts';
import { IDS_AND_NAME } from './orders/order-parts.ts';
import { page } from './pages.ts';

const AMOUNT = { type: 'decimal', currency: 'currency' } as const;
const COUNT = { type: 'int4' } as const;
const RATE = { type: 'number' } as const;
const CURRENCY = {
  type: 'currency',
  description:
    'The currency of all amounts (ISO 4217): the one with the most sales in the time range, otherwise that of the workspace’s newest price, otherwise USD. Sales in other currencies are not counted.',
} as const;

/** The currency of amounts inside another object. */
const OWN_CURRENCY = { ...CURRENCY, internal: true } as const;

const TIMERANGE = {
  type: 'json',
  object: {
    from: {
      type: 'timestamp',
      description: 'The start of the time range: the requested time, rounded down to the hour.',
    },
    to: {
      type: 'timestamp',
      description: 'The end of the time range: the requested time, rounded up to the hour.',
    },
  },
  description: 'The time range, in full hours.',
} as const;

/** The counts and sums. */
const SUMS = {
  viewsAll: { ...COUNT, description: 'The number of visits.' },
  viewsUnique: {
    ...COUNT,
    description: 'The number of first visits: those of visitors who had never visited the page before.',
  },
  optins: { ...COUNT, description: 'The number of first visits by visitors who were already contacts.' },
  salesCount: {
    ...COUNT,
    description:
      'The number of paid invoices of orders placed on the page, without renewals, refunds and cancellations.',
  },
  salesValue: { ...AMOUNT, description: 'The value of these sales.' },
  recurringSalesCount: { ...COUNT, description: 'The number of paid renewals of orders placed on the page.' },
  recurringSalesValue: { ...AMOUNT, description: 'The value of these sales.' },
} as const satisfies Fields;

/** The statistics of one page. */
export const STEP_STATS = {
  pageId: { type: 'int8', description: 'The integer id of the page.' },
  name: { type: 'text', description: 'The name of the step that shows the page, or else of the page.' },
  currentPath: { type: 'text', description: 'The path of the page.' },
  currency: OWN_CURRENCY,
  ...SUMS,
  optinRate: { ...RATE, description: '`optins` divided by `views_unique`, from 0 to 1.' },
  salesRate: { ...RATE, description: '`sales_count` divided by `views_unique`.' },
  earningsPerView: { ...AMOUNT, description: 'The value of all sales, divided by `views_all`.' },
  earningsPerUniqueView: { ...AMOUNT, description: 'The value of all sales, divided by `views_unique`.' },
} as const satisfies Fields;

export const SUMMARY = {
  currency: OWN_CURRENCY,
  pageviews: { ...COUNT, description: 'The number of visits.' },
  upfrontSalesCount: {
    ...COUNT,
    description: 'The number of paid invoices, without renewals, refunds and cancellations.',
  },
  upfrontSales: { ...AMOUNT, description: 'The value of these sales.' },
  recurringSales: { ...AMOUNT, description: 'The value of paid renewals.' },
  averageCartValue: { ...AMOUNT, description: '`upfront_sales` divided by `upfront_sales_count`.' },
  earningsPerClick: { ...AMOUNT, description: 'The value of all sales, divided by `pageviews`.' },
} as const satisfies Fields;

/** The statistics of a page, with the page and the time range. */
export const PAGE_STATS = {
  currency: CURRENCY,
  timerange: TIMERANGE,
  funnel: {
    type: 'json',
    nullable: true,
    object: IDS_AND_NAME,
    description: 'The funnel that shows the page, if any.',
  },
  page: {
    type: 'json',
    object: {
      ...IDS_AND_NAME,
      currentPath: page.fields.currentPath,
      type: {
        type: 'text',
        description: 'The type of the page: `funnel_page` if a funnel shows it, otherwise `landing_page`.',
      },
    },
    description: 'The page.',
  },
  step: { type: 'json', object: STEP_STATS, description: 'The statistics.' },
} as const satisfies Fields;

/** The statistics of a funnel, with the funnel and the time range. */
export const FUNNEL_STATS = {
  currency: CURRENCY,
  timerange: TIMERANGE,
  funnel: { type: 'json', object: IDS_AND_NAME, description: 'The funnel.' },
  summary: { type: 'json', object: SUMMARY, description: 'The statistics of all pages together.' },
  steps: {
    type: 'json',
    items: STEP_STATS,
    expand: true,
    description:
      'The statistics of each page, in the order of the workflow. Pages on the matched branch of a split come before those on the unmatched branch.',
  },
  pagePublicIds: {
    type: 'text[]',
    expand: 'always',
    description: 'The public ids of the pages, in the order of the workflow.',
  },
} as const satisfies Fields;

/** Descriptions of both. */
export const OF_PAGE =
  'The visits to a page, and the sales of orders that were placed on it, in a time range.';
export const OF_FUNNEL =
  'The statistics of the pages that a funnel currently shows, in total and for each page.';

export interface StepStatsRow extends RowOf<typeof STEP_STATS> {}
export interface SummaryRow extends RowOf<typeof SUMMARY> {}
export interface PageStatsRow extends RowOf<typeof PAGE_STATS> {}
export interface FunnelStatsRow extends RowOf<typeof FUNNEL_STATS> {}
