// The statistics of pages and funnels for a time range. They are not nouns, but sums over the hours of pages.
import { NAMED } from './orders/order-parts.ts';
import { page } from './pages.ts';
import type { Fields, RowOf } from './resource.ts';

const AMOUNT = { type: 'decimal', currency: 'currency' } as const;
const COUNT = { type: 'int4' } as const;
const RATE = { type: 'number' } as const;
const CURRENCY = {
  type: 'currency',
  description:
    'The currency of all amounts (ISO 4217): the one with the most sales in the span, without any that of the workspace’s newest price, else USD. Sales in others are not counted.',
} as const;

/** The currency of amounts inside another object. */
const OWN_CURRENCY = { ...CURRENCY, internal: true } as const;

const TIMERANGE = {
  type: 'json',
  object: {
    from: { type: 'timestamp', description: 'Its first hour: what was asked for, rounded down.' },
    to: { type: 'timestamp', description: 'The end of its last hour: what was asked for, rounded up.' },
  },
  description: 'The span of time, in whole hours.',
} as const;

/** The counts and sums. */
const SUMS = {
  viewsAll: { ...COUNT, description: 'How many visits began.' },
  viewsUnique: {
    ...COUNT,
    description: 'How many of them were the first that their visitor ever made to the page.',
  },
  optins: { ...COUNT, description: 'How many of these were by visitors who were known as contacts.' },
  salesCount: {
    ...COUNT,
    description:
      'How many invoices were paid, other than renewals, refunds and cancellations, of orders made on the page.',
  },
  salesValue: { ...AMOUNT, description: 'What these were about.' },
  recurringSalesCount: { ...COUNT, description: 'How many renewals were paid of orders made on the page.' },
  recurringSalesValue: { ...AMOUNT, description: 'What these were about.' },
} as const satisfies Fields;

/** The statistics of one page. */
export const STEP_STATS = {
  pageId: { type: 'int8', description: 'The integer id of the page.' },
  name: { type: 'text', description: 'The name of the step that shows the page, else of the page.' },
  currentPath: { type: 'text', description: 'The path of the page.' },
  currency: OWN_CURRENCY,
  ...SUMS,
  optinRate: { ...RATE, description: '`optins` divided by `views_unique`, from 0 to 1.' },
  salesRate: { ...RATE, description: '`sales_count` divided by `views_unique`.' },
  earningsPerView: { ...AMOUNT, description: 'What all sales were about, divided by `views_all`.' },
  earningsPerUniqueView: { ...AMOUNT, description: 'What all sales were about, divided by `views_unique`.' },
} as const satisfies Fields;

/** The statistics of one day, summed over all pages. */
export const DAY_STATS = {
  day: { type: 'date', description: 'The day, in UTC.' },
  currency: OWN_CURRENCY,
  ...SUMS,
} as const satisfies Fields;

export const SUMMARY = {
  currency: OWN_CURRENCY,
  pageviews: { ...COUNT, description: 'How many visits began.' },
  upfrontSalesCount: {
    ...COUNT,
    description: 'How many invoices were paid, other than renewals, refunds and cancellations.',
  },
  upfrontSales: { ...AMOUNT, description: 'What these were about.' },
  recurringSales: { ...AMOUNT, description: 'What the renewals that were paid were about.' },
  averageCartValue: { ...AMOUNT, description: '`upfront_sales` divided by `upfront_sales_count`.' },
  earningsPerClick: { ...AMOUNT, description: 'What all sales were about, divided by `pageviews`.' },
} as const satisfies Fields;

/** The statistics of a page, with the page and the time range. */
export const PAGE_STATS = {
  currency: CURRENCY,
  timerange: TIMERANGE,
  funnel: {
    type: 'json',
    nullable: true,
    object: NAMED,
    description: 'The funnel that shows the page, if one does.',
  },
  page: {
    type: 'json',
    object: {
      ...NAMED,
      currentPath: page.fields.currentPath,
      type: { type: 'text', description: '`funnel_page` where a funnel shows it, else `landing_page`.' },
    },
    description: 'The page.',
  },
  step: { type: 'json', object: STEP_STATS, description: 'The statistics.' },
} as const satisfies Fields;

/** The statistics of a funnel, with the funnel and the time range. */
export const FUNNEL_STATS = {
  currency: CURRENCY,
  timerange: TIMERANGE,
  funnel: { type: 'json', object: NAMED, description: 'The funnel.' },
  summary: { type: 'json', object: SUMMARY, description: 'All pages together.' },
  steps: {
    type: 'json',
    items: STEP_STATS,
    expand: true,
    description: 'Each page, in the order of the workflow; of a split, first the matched branch.',
  },
  pagePublicIds: {
    type: 'text[]',
    expand: 'always',
    description: 'The public ids of the pages, in the order of the workflow.',
  },
} as const satisfies Fields;

/** Descriptions of both. */
export const OF_PAGE =
  'The visits to a page, and the sales of orders that were made on it, in a span of time.';
export const OF_FUNNEL = 'The statistics of the pages that a funnel shows now, together and one by one.';

export interface StepStatsRow extends RowOf<typeof STEP_STATS> {}
export interface DayStatsRow extends RowOf<typeof DAY_STATS> {}
export interface SummaryRow extends RowOf<typeof SUMMARY> {}
export interface PageStatsRow extends RowOf<typeof PAGE_STATS> {}
export interface FunnelStatsRow extends RowOf<typeof FUNNEL_STATS> {}
