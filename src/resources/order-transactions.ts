// The transaction: a payment or refund of an order, as an integration recorded it.
import { invoice } from './order-invoices.ts';
import { UNKNOWN } from './order-parts.ts';
import { AMOUNT, CURRENCY, order } from './orders.ts';
import { describe, IDS, type Row } from './resource.ts';

export const transaction = describe({
  type: 'Transaction',
  title: 'Transaction',
  table: 'order_transactions',
  number: 29n,
  parent: order,
  plural: 'transactions',
  path: 'transactions',
  members: 'orders/transactions',
  wrapper: 'orders_transaction',
  scope: 'store',
  description: 'A payment or refund of an order, as an integration recorded it.',
  fields: {
    ...IDS,
    orderId: { type: 'int8', description: 'The integer id of its order.' },
    invoiceId: {
      type: 'int8',
      nullable: true,
      refers: invoice,
      description: 'The integer id of the invoice that it pays, or null.',
    },
    adjustedTransactionId: {
      type: 'int8',
      nullable: true,
      description: 'The integer id of the payment that it takes back, or null.',
    },
    amount: { ...AMOUNT, description: 'How much was paid, or paid back.' },
    currency: CURRENCY,
    status: { type: 'text', description: 'What became of it.' },
    result: { type: 'text', description: 'What whoever takes the money said.' },
    reason: { type: 'text', nullable: true, description: 'Why it was made.' },
    externalId: {
      type: 'text',
      description: 'What whoever takes the money calls it; empty where that is not known.',
    },
    externalType: {
      type: 'text',
      nullable: true,
      description: 'What whoever takes the money calls its kind.',
    },
    arn: { type: 'text', nullable: true, description: 'The acquirer’s reference number.' },
    isRebill: { type: 'bool', description: 'Whether it is for a later period of a subscription.' },
    rebillNumber: { type: 'text', nullable: true, description: 'For which one.' },
    billingPaymentInstructionId: UNKNOWN,
    billingPaymentInstructionType: UNKNOWN,
    createdAt: { type: 'timestamp', description: 'When it was recorded.' },
    updatedAt: { type: 'timestamp', description: 'When it was last changed.' },
  },
  sorts: ['updatedAt'],
});

export interface TransactionRow extends Row<typeof transaction> {}
