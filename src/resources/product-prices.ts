// The price of a variant: an amount and the terms of payment.
import { ARCHIVED, IDS, WRITABLE_ARCHIVED } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { variant } from './product-variants.ts';
import { PRICE, product } from './products.ts';

/** The most prices that one variant can have. */
export const MAX_PRICES = 25;

/** A single payment, a recurring one, or a fixed number of payments. */
export const PAYMENT_TYPES = ['one_time', 'subscription', 'payment_plan'] as const;
/** The units of time between two payments, for clients. The store has them in the singular. */
export const INTERVALS = ['days', 'weeks', 'months', 'quarters', 'years'] as const;
const SINGULAR = Object.fromEntries(INTERVALS.map((unit) => [unit, unit.slice(0, -1)]));

/** The payment types with more than one payment. */
const REPEATED = ['subscription', 'payment_plan'] as const;

const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 255 } as const;
const FLAG = { type: 'bool', writable: 'always', default: false } as const;
const AMOUNT = { type: 'decimal', currency: 'currency', writable: 'always' } as const;
const COUNT = { type: 'count', writable: 'always', restAsText: true } as const;
/** Common properties of fields that only recurring prices have. */
const OF_REPEATED = { only: REPEATED, nullElsewhere: true } as const;
const INTERVAL = {
  type: 'text',
  values: INTERVALS,
  valueDescriptions: {
    days: 'The interval is counted in days.',
    weeks: 'The interval is counted in weeks.',
    months: 'The interval is counted in months.',
    quarters: 'The interval is counted in quarters of a year.',
    years: 'The interval is counted in years.',
  },
  synonyms: SINGULAR,
  writable: 'always',
  ...OF_REPEATED,
} as const;

export const price = describe({
  ...PRICE,
  number: 19n,
  parent: variant,
  plural: 'prices',
  path: 'prices',
  members: 'products/prices',
  scope: 'store',
  verbs: ['create', 'update'],
  most: MAX_PRICES,
  wrapper: 'products_price',
  lists: [
    {
      under: product,
      key: 'productId',
      path: 'prices',
      plural: 'prices',
      indexes: {
        variantId: 'product_prices_workspace_id_product_id_variant_id_id_idx',
        visible: 'product_prices_workspace_id_product_id_visible_id_idx',
        archived: 'product_prices_workspace_id_product_id_archived_id_idx',
      },
    },
  ],
  description: `The price of a variant, and its terms of payment. Orders copy prices, so changing a price does not change orders. A variant can have at most ${MAX_PRICES} prices.`,
  kinds: {
    by: 'paymentType',
    types: {
      one_time: { type: 'OneTimePrice', description: 'A price that is paid once.' },
      subscription: {
        type: 'SubscriptionPrice',
        description: 'A price that is paid in every period until the subscription ends.',
      },
      payment_plan: {
        type: 'PaymentPlanPrice',
        description: 'A price that is paid in a fixed number of payments.',
      },
    },
    shared: {
      type: 'RecurringPrice',
      description: 'A price that is paid more than once.',
      kinds: REPEATED,
    },
  },
  fields: {
    ...IDS,
    variantId: { type: 'int8', description: 'The integer id of its variant.' },
    productId: {
      type: 'int8',
      refers: product,
      description: 'The integer id of the product of its variant.',
    },
    name: { ...TEXT, description: 'The name of the price.' },
    amount: { ...AMOUNT, required: true, description: 'The amount of each payment, never negative.' },
    cost: { ...AMOUNT, nullable: true, description: 'The cost of the variant to the seller.' },
    currency: {
      type: 'currency',
      writable: 'always',
      description: 'The currency of all amounts of the price, as an ISO 4217 code such as `USD`.',
      rule: 'By default the currency of the workspace’s newest price, or `USD` for its first price.',
    },
    duration: {
      ...COUNT,
      only: REPEATED,
      nullable: true,
      mustBe: 'at least 1 for a payment plan',
      description: 'The number of payments. Null for a subscription without an end.',
      rule: 'At least 1 for a payment plan; 0 is a subscription without an end too.',
    },
    interval: {
      ...INTERVAL,
      default: 'months',
      description: 'The unit of the time between two payments.',
      rule: 'It is required to create a subscription or payment plan. The singular, such as `month`, is accepted too.',
    },
    trialInterval: { ...INTERVAL, default: 'days', description: 'The unit of the trial’s duration.' },
    trialDuration: {
      ...COUNT,
      ...OF_REPEATED,
      default: 0,
      description: 'The duration of the trial in its unit; 0 for no trial.',
    },
    trialAmount: {
      ...AMOUNT,
      ...OF_REPEATED,
      default: '0',
      description: 'What the trial costs, in place of the first payment.',
    },
    setupAmount: {
      ...AMOUNT,
      nullable: true,
      description: 'The one-time setup amount, due with the first payment.',
    },
    selfCancel: {
      graphqlName: 'isSelfCancellationAllowed',
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may cancel their subscription themselves.',
    },
    selfUpgrade: {
      graphqlName: 'isSelfUpgradeAllowed',
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may change to a higher price themselves.',
    },
    selfDowngrade: {
      graphqlName: 'isSelfDowngradeAllowed',
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may change to a lower price themselves.',
    },
    selfReactivate: {
      graphqlName: 'isSelfReactivationAllowed',
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may reactivate their subscription themselves.',
    },
    intervalCount: {
      ...COUNT,
      ...OF_REPEATED,
      default: 1,
      mustBe: 'at least 1',
      description: 'The number of time units between two payments, at least 1.',
    },
    paymentType: {
      type: 'text',
      values: PAYMENT_TYPES,
      valueDescriptions: {
        one_time: 'The price is paid once.',
        subscription: 'The price is paid in every period until the subscription ends.',
        payment_plan: 'The price is paid in a fixed number of payments.',
      },
      writable: 'always',
      default: 'one_time',
      description: 'Whether the price is paid once, in every period, or in a fixed number of payments.',
    },
    visible: {
      graphqlName: 'isVisible',
      type: 'bool',
      writable: 'always',
      default: true,
      description: 'Whether the price is offered to customers.',
    },
    compareAtAmount: {
      ...AMOUNT,
      nullable: true,
      description: 'A higher amount to show for comparison, such as the price before a sale.',
    },
    key: { ...TEXT, description: 'The seller’s internal key for the price.' },
    archived: WRITABLE_ARCHIVED,
    archivedAt: ARCHIVED.archivedAt,
    createdAt: { type: 'timestamp', description: 'When the price was created.' },
    updatedAt: { type: 'timestamp', description: 'When the price was last changed.' },
  },
  topic: 'products/price',
  subjectType: 'Products::Price',
  filters: {
    id: { unique: true },
    variantId: { index: 'product_prices_workspace_id_variant_id_id_idx' },
    visible: { index: 'product_prices_workspace_id_variant_id_visible_id_idx' },
    archived: { index: 'product_prices_workspace_id_variant_id_archived_id_idx' },
  },
  sorts: ['createdAt', 'updatedAt'],
});

export interface PriceRow extends Row<typeof price> {}
