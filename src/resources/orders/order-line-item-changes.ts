// The change of a subscription line to another price: preview and performance. Not a noun, since only the effects of a change are stored.
import { price } from '../product-prices.ts';
import type { Fields, RowOf } from '../resource.ts';
import { orderLineItem } from './orders.ts';

const AMOUNT = { type: 'decimal', currency: 'currency' } as const;

/** The input of a change. */
export const LINE_ITEM_CHANGE_INPUT = {
  priceId: {
    restName: 'products_price_id',
    // Text, because clients send public ids.
    type: 'text',
    idsOf: price,
    required: true,
    description:
      'The integer id, or the public id, of the new price: of the same product and currency, and paid again and again as the old one.',
  },
  effectiveTime: {
    type: 'text',
    values: ['now', 'next_renewal'],
    nullable: true,
    description:
      'Whether the rest of the current period is billed, or only what comes after it. By default `now`.',
  },
  prorate: {
    type: 'bool',
    nullable: true,
    description:
      'Whether an invoice is written for what the rest of the current period costs more, by its days in UTC. By default none is.',
  },
} as const satisfies Fields;

/** The effects of a change. */
export const LINE_ITEM_CHANGE = {
  newLineItem: {
    type: 'json',
    object: orderLineItem.fields,
    description: 'The line as it is, or would be, afterwards.',
  },
  preview: { type: 'bool', description: 'Whether nothing was changed.' },
  previousLineItem: { type: 'json', object: orderLineItem.fields, description: 'The line as it was before.' },
  upcomingInvoice: {
    type: 'json',
    object: {
      currency: { type: 'currency', description: 'The currency of its amounts (ISO 4217).' },
      discountAmount: { ...AMOUNT, description: 'What is taken off.' },
      nextInvoiceDate: { type: 'timestamp', description: 'When it is due to be written.' },
      shippingAmount: { ...AMOUNT, description: 'What the shipping costs.' },
      subtotalAmount: { ...AMOUNT, description: 'The sum of its lines.' },
      taxAmount: { ...AMOUNT, description: 'The tax on its lines.' },
      totalAmount: { ...AMOUNT, description: 'The sum of all of it.' },
    },
    description:
      'The next invoice: that for the rest of the current period where it costs more now, else that of the next renewal.',
  },
} as const satisfies Fields;

export interface LineItemChangeRow extends RowOf<typeof LINE_ITEM_CHANGE> {}
