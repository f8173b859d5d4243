// The transaction: a payment or refund of an order, recorded by an integration.
import { describe, type Field, type Fields, IDS, type Row } from '../resource.ts';
import { invoice } from './order-invoices.ts';
import { UNKNOWN } from './order-parts.ts';
import { AMOUNT, CURRENCY, order } from './orders.ts';

const TEXT = { type: 'text', nullable: true, writable: 'at_creation', maxLength: 255 } as const;

const EXTERNAL_TYPE = { ...TEXT, description: 'What whoever takes the money calls its kind.' } as const;
const ARN = { ...TEXT, description: 'The acquirer’s reference number.' } as const;
const REASON = { ...TEXT, maxLength: 2_000, personal: true, description: 'Why it was made.' } as const;

/** The input of a refund. */
export const REFUND: Fields = {
  amount: {
    type: 'decimal',
    refusesNull: true,
    description: 'How much is paid back: at most what was not yet. By default all of that.',
  },
  partial: {
    type: 'bool',
    description:
      'Whether a part is paid back, whose `amount` is then needed. False: all that was not paid back yet, and no other `amount`.',
  },
  externalId: {
    type: 'text',
    maxLength: 255,
    description: 'What whoever takes the money calls the refund; empty where that is not known.',
  },
  externalType: EXTERNAL_TYPE,
  reason: REASON,
  arn: ARN,
};

const TRANSACTION = { type: 'Transaction', title: 'Transaction', table: 'order_transactions' } as const;

const TRANSACTION_FIELDS = {
  ...IDS,
  orderId: { type: 'int8', description: 'The integer id of its order.' },
  invoiceId: {
    type: 'int8',
    nullable: true,
    refers: invoice,
    writable: 'at_creation',
    description:
      'The integer id of the invoice that it pays: one of the order. By default the oldest that waits for money.',
  },
  adjustedTransactionId: {
    type: 'int8',
    nullable: true,
    restAsText: true,
    description: 'The integer id of the payment that it pays back, or null.',
  },
  amount: {
    ...AMOUNT,
    writable: 'at_creation',
    required: true,
    description: 'How much was paid, or paid back: more than zero, and no more than is due.',
  },
  currency: {
    ...CURRENCY,
    writable: 'at_creation',
    description: 'The currency of the amount (ISO 4217): that of its order.',
  },
  status: {
    type: 'text',
    values: ['completed', 'pending', 'voided', 'partially-refunded', 'refunded'],
    writable: 'at_creation',
    default: 'completed',
    description:
      'What became of it. A new one is `completed`, `pending` or `voided`; the others follow from refunds.',
  },
  result: {
    type: 'text',
    values: ['approved', 'declined', 'canceled', 'abandoned', 'unknown'],
    writable: 'at_creation',
    default: 'approved',
    description: 'What whoever takes the money said.',
  },
  reason: REASON,
  externalId: {
    type: 'text',
    writable: 'at_creation',
    required: true,
    maxLength: 255,
    description: 'What whoever takes the money calls it; empty for a refund of which that is not known.',
  },
  externalType: { ...EXTERNAL_TYPE, default: 'sale' },
  arn: ARN,
  isRebill: {
    type: 'bool',
    writable: 'at_creation',
    default: false,
    description: 'Whether it is for a later period of a subscription.',
  },
  rebillNumber: { ...TEXT, description: 'For which one.' },
  billingPaymentInstructionId: UNKNOWN,
  billingPaymentInstructionType: UNKNOWN,
  createdAt: { type: 'timestamp', description: 'When it was recorded.' },
  updatedAt: { type: 'timestamp', description: 'When it was last changed.' },
} as const satisfies Fields;

/** A refund in its payment. Erasure blanks the refund's own row. */
export const REFUND_INSIDE = Object.fromEntries(
  Object.entries<Field>(TRANSACTION_FIELDS).map(([property, { personal: _, ...field }]) => [property, field]),
) as Fields as typeof TRANSACTION_FIELDS;

export const transaction = describe({
  ...TRANSACTION,
  number: 29n,
  parent: order,
  plural: 'transactions',
  path: 'transactions',
  members: 'orders/transactions',
  wrapper: 'orders_transaction',
  scope: 'store',
  topic: 'orders/transaction',
  subjectType: 'Orders::Transaction',
  verbs: ['create'],
  events: ['created', 'updated'],
  actions: {
    refund: {
      summary: 'Records that a payment was paid back, whole or in part; that is a transaction of its own',
      fields: REFUND,
      // Ignoring a misspelled `amount` would refund everything.
      isClosed: true,
    },
  },
  description:
    'Money that was taken or paid back for an order, as an integration recorded it. A payment that was approved and is complete counts against its invoice.',
  fields: {
    ...TRANSACTION_FIELDS,
    refundedAmount: { ...AMOUNT, description: 'How much of it was paid back: the sum of its refunds.' },
    refundId: {
      type: 'int8',
      nullable: true,
      refers: TRANSACTION,
      description: 'The integer id of its last refund, or null.',
      objectDescription: 'Its last refund, or null.',
    },
    refund: {
      type: 'jsonb',
      nullable: true,
      object: REFUND_INSIDE,
      description: 'Its last refund, a transaction of its own, or null.',
    },
  },
  sorts: ['updatedAt'],
});

export interface TransactionRow extends Row<typeof transaction> {}
