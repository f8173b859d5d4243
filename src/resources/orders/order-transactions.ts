// The transaction: a payment or refund of an order, recorded by an integration.
import { ALWAYS_NULL_TEXT, IDS } from '../description/common-fields.ts';
import type { Field, Fields } from '../description/fields.ts';
import { describe, type Resource, type Row } from '../description/resource.ts';
import { invoice } from './order-invoices.ts';
import { AMOUNT, CURRENCY } from './order-parts.ts';
import { order } from './orders.ts';

const TEXT = { type: 'text', nullable: true, writable: 'at_creation', maxLength: 255 } as const;

const EXTERNAL_TYPE = {
  ...TEXT,
  description: 'The transaction type in the payment processor’s own terms.',
} as const;
const ARN = { ...TEXT, description: 'The acquirer’s reference number.' } as const;
const REASON = {
  ...TEXT,
  maxLength: 2_000,
  personal: true,
  description: 'The reason for the transaction.',
} as const;

/** The input of a refund. */
export const REFUND: Fields = {
  amount: {
    type: 'decimal',
    currency: 'currency',
    refusesNull: true,
    description:
      'The amount to refund, at most what was not refunded yet. If it is left out, all of that is refunded. Null is refused: an amount that a program has lost must not refund everything.',
  },
  partial: {
    graphql: false,
    type: 'bool',
    description:
      'Whether the refund is partial, which requires an `amount`. False refunds the complete remaining amount, and allows no other `amount`.',
  },
  externalId: {
    type: 'text',
    maxLength: 255,
    description: 'The payment processor’s id of the refund. Empty if it is not known.',
  },
  externalType: EXTERNAL_TYPE,
  reason: REASON,
  arn: ARN,
};

const TRANSACTION = {
  type: 'Transaction',
  graphqlName: 'OrderTransaction',
  title: 'Transaction',
  table: 'order_transactions',
} as const;

const TRANSACTION_FIELDS = {
  ...IDS,
  orderId: { type: 'int8', description: 'The integer id of its order.' },
  invoiceId: {
    type: 'int8',
    nullable: true,
    refers: invoice,
    writable: 'at_creation',
    description: 'The integer id of the invoice, which belongs to the order.',
    rule: 'By default the oldest invoice that expects payment.',
  },
  adjustedTransactionId: {
    graphqlName: 'refundOfId',
    type: 'int8',
    nullable: true,
    refers: TRANSACTION,
    restAsText: true,
    description: 'The integer id of the payment that this refund pays back. Null for a payment.',
    objectDescription: 'The payment that this refund pays back; null for a payment.',
  },
  amount: {
    ...AMOUNT,
    writable: 'at_creation',
    required: true,
    description: 'The amount of the payment or refund.',
    rule: 'More than zero, and at most the amount due.',
  },
  currency: {
    ...CURRENCY,
    writable: 'at_creation',
    description: 'The currency of the amount (ISO 4217), which is the currency of the order.',
  },
  status: {
    type: 'text',
    values: ['completed', 'pending', 'voided', 'partially-refunded', 'refunded'],
    valueDescriptions: {
      completed: 'The transaction is complete. Its result says whether money was transferred.',
      pending: 'The transaction is not complete yet.',
      voided: 'The transaction was voided before money was transferred, so it pays nothing.',
      'partially-refunded': 'Part of the payment was refunded.',
      refunded: 'The payment was refunded in full.',
    },
    writable: 'at_creation',
    default: 'completed',
    description: 'The status of the transaction.',
    rule: 'A new one can be `completed`, `pending` or `voided`; refunds set the others.',
  },
  result: {
    type: 'text',
    values: ['approved', 'declined', 'canceled', 'abandoned', 'unknown'],
    valueDescriptions: {
      approved: 'The payment processor approved the transaction.',
      declined: 'The payment processor declined the transaction.',
      canceled: 'The buyer or the shop canceled the transaction.',
      abandoned: 'The buyer abandoned the transaction.',
      unknown: 'The result is not known.',
    },
    writable: 'at_creation',
    default: 'approved',
    description: 'The answer of the payment processor.',
  },
  reason: REASON,
  externalId: {
    type: 'text',
    writable: 'at_creation',
    required: true,
    maxLength: 255,
    description: 'The payment processor’s id of the transaction. Empty for a refund whose id is not known.',
  },
  externalType: { ...EXTERNAL_TYPE, default: 'sale' },
  arn: ARN,
  isRebill: {
    type: 'bool',
    writable: 'at_creation',
    default: false,
    description: 'Whether the transaction is for a later period of a subscription.',
  },
  rebillNumber: { ...TEXT, description: 'The number of that subscription period.' },
  billingPaymentInstructionId: ALWAYS_NULL_TEXT,
  billingPaymentInstructionType: ALWAYS_NULL_TEXT,
  createdAt: { type: 'timestamp', description: 'When the transaction was recorded.' },
  updatedAt: { type: 'timestamp', description: 'When the transaction was last changed.' },
} as const satisfies Fields;

/** The payment of a refund: a transaction itself, which can name itself only by its own parts. */
const PAYMENT: Resource = {
  ...TRANSACTION,
  scope: 'store',
  description: 'A payment that has refunds.',
  fields: TRANSACTION_FIELDS,
};

/** A refund in its payment. Erasure blanks the refund's own row. */
export const REFUND_IN_PAYMENT = Object.fromEntries(
  Object.entries<Field>(TRANSACTION_FIELDS).map(([property, { personal: _, ...field }]) => [property, field]),
) as Fields as typeof TRANSACTION_FIELDS;

export const transaction = describe({
  ...TRANSACTION,
  number: 29n,
  parent: order,
  plural: 'transactions',
  path: 'transactions',
  members: 'orders/transactions',
  lists: [
    {
      under: PAYMENT,
      key: 'adjustedTransactionId',
      plural: 'refunds',
      indexes: {},
      description: 'The refunds of the payment; empty for a refund.',
    },
  ],
  wrapper: 'orders_transaction',
  scope: 'store',
  topic: 'orders/transaction',
  subjectType: 'Orders::Transaction',
  verbs: ['create'],
  gatewayOnly: ['create'],
  events: ['created', 'updated'],
  actions: {
    refund: {
      summary: 'Refunds part or all of a payment of an order, as a new transaction',
      fields: REFUND,
      // Ignoring a misspelled `amount` would refund everything.
      isClosed: true,
      makes: {
        property: 'refund',
        changed: 'refundedPayment',
        description:
          'The refund, a transaction of its own. If nothing was left to refund, the last refund of the payment.',
        changedDescription: 'The payment after the refund: its status and `refundedAmount` have changed.',
      },
    },
  },
  description:
    'A payment or refund of an order that an integration recorded. A completed, approved payment reduces the amount due of its invoice.',
  fields: {
    ...TRANSACTION_FIELDS,
    refundedAmount: {
      ...AMOUNT,
      description: 'The refunded amount: the sum of all refunds of this payment.',
    },
    refundId: {
      graphqlName: 'lastRefundId',
      type: 'int8',
      nullable: true,
      refers: TRANSACTION,
      description: 'The integer id of the last refund of this payment, or null.',
      objectDescription: 'The last refund of this payment, or null.',
    },
    refund: {
      type: 'jsonb',
      nullable: true,
      object: REFUND_IN_PAYMENT,
      description: 'The last refund of this payment, which is also a transaction; or null.',
    },
  },
  filters: {
    status: {
      index: 'order_transactions_workspace_id_order_id_status_id_idx',
      untimed: true,
      graphqlOnly: true,
    },
    result: {
      index: 'order_transactions_workspace_id_order_id_result_id_idx',
      untimed: true,
      graphqlOnly: true,
    },
  },
  sorts: ['createdAt', 'updatedAt'],
  scannedSorts: ['createdAt'],
});

export interface TransactionRow extends Row<typeof transaction> {}
