// The price of a variant: an amount and the terms of payment.
import { variant } from './product-variants.ts';
import { PRICE, product } from './products.ts';
import { ARCHIVED, describe, IDS, type Row } from './resource.ts';

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
  description: `What a variant costs, and how it is paid. Orders copy it: a change of a price changes no order. A variant has at most ${MAX_PRICES}.`,
  kinds: {
    by: 'paymentType',
    types: {
      one_time: { type: 'OneTimePrice', description: 'A price that is paid once.' },
      subscription: {
        type: 'SubscriptionPrice',
        description: 'A price that is paid again and again, until the subscription ends.',
      },
      payment_plan: {
        type: 'PaymentPlanPrice',
        description: 'A price that is paid in a number of payments.',
      },
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
    name: { ...TEXT, description: 'What it is called.' },
    amount: { ...AMOUNT, required: true, description: 'What is paid, each time; never negative.' },
    cost: { ...AMOUNT, nullable: true, description: 'What it costs the seller.' },
    currency: {
      type: 'currency',
      writable: 'always',
      description:
        'The currency of all its amounts, by its code (ISO 4217), such as `USD`. By default that of the newest price of the workspace, `USD` for the first.',
    },
    duration: {
      ...COUNT,
      only: REPEATED,
      nullable: true,
      mustBe: 'at least 1 for a payment plan',
      description:
        'How many payments there are; null, or 0 where it is given, for a subscription without an end. A payment plan has at least 1.',
    },
    interval: {
      ...INTERVAL,
      default: 'months',
      description:
        'The unit of the time between two payments. A subscription and a payment plan are created with it. The singular, such as `month`, is taken too.',
    },
    trialInterval: { ...INTERVAL, default: 'days', description: 'The unit of the duration of its trial.' },
    trialDuration: {
      ...COUNT,
      ...OF_REPEATED,
      default: 0,
      description: 'How long its trial is; 0 where there is none.',
    },
    trialAmount: {
      ...AMOUNT,
      ...OF_REPEATED,
      default: '0',
      description: 'What is paid for its trial.',
    },
    setupAmount: { ...AMOUNT, nullable: true, description: 'What is paid once, with the first payment.' },
    selfCancel: {
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may cancel their subscription themselves.',
    },
    selfUpgrade: {
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may change to a higher price themselves.',
    },
    selfDowngrade: {
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may change to a lower price themselves.',
    },
    selfReactivate: {
      ...FLAG,
      only: REPEATED,
      description: 'Whether customers may reactivate their subscription themselves.',
    },
    intervalCount: {
      ...COUNT,
      ...OF_REPEATED,
      default: 1,
      mustBe: 'at least 1',
      description: 'How many units of time are between two payments, at least 1.',
    },
    paymentType: {
      type: 'text',
      values: PAYMENT_TYPES,
      writable: 'always',
      default: 'one_time',
      description: 'Whether it is paid once, again and again, or in a number of payments.',
    },
    visible: { type: 'bool', writable: 'always', default: true, description: 'Whether it is offered.' },
    compareAtAmount: {
      ...AMOUNT,
      nullable: true,
      description: 'A higher amount that is shown beside it, such as that of before a sale.',
    },
    key: { ...TEXT, description: 'The seller’s own name of it.' },
    archived: { ...ARCHIVED.archived, writable: 'always' },
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
  sorts: ['updatedAt'],
});

export interface PriceRow extends Row<typeof price> {}
