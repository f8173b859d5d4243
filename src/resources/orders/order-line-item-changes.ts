// The change of a subscription line to another price: preview and performance. Not a noun, since only the effects of a change are stored.
import type { Fields, RowOf } from '../description/fields.ts';
import { price } from '../product-prices.ts';
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
      'The integer id, or the public id, of the new price. It must belong to the same product, and have the same currency and payment type as the old one.',
  },
  effectiveTime: {
    type: 'text',
    values: ['now', 'next_renewal'],
    valueDescriptions: {
      now: 'The price difference for the rest of the current period can be billed.',
      next_renewal: 'The new price is billed only from the next renewal on.',
    },
    nullable: true,
    description:
      'Whether the price difference for the rest of the current period can be billed (`now`, the default), or the new price is billed only from the next renewal on.',
  },
  prorate: {
    type: 'bool',
    nullable: true,
    description:
      'Whether to bill the price difference for the remaining days (in UTC) of the current period. By default false. Without effect if the new price is billed only from the next renewal on.',
  },
} as const satisfies Fields;

/** The effects of a change. */
export const LINE_ITEM_CHANGE = {
  newLineItem: {
    type: 'json',
    object: orderLineItem.fields,
    description: 'The line after the change, or as it would be.',
  },
  preview: {
    type: 'bool',
    graphqlName: 'isPreview',
    description: 'Whether this is a preview: nothing was changed.',
  },
  previousLineItem: {
    type: 'json',
    object: orderLineItem.fields,
    description: 'The line before the change.',
  },
  upcomingInvoice: {
    type: 'json',
    object: {
      currency: { type: 'currency', description: 'The currency of its amounts (ISO 4217).' },
      discountAmount: { ...AMOUNT, description: 'The discount, which the total leaves out.' },
      nextInvoiceDate: { type: 'timestamp', description: 'When the invoice will be created.' },
      shippingAmount: { ...AMOUNT, description: 'The shipping cost, which the total includes.' },
      subtotalAmount: { ...AMOUNT, description: 'The sum of the lines.' },
      taxAmount: { ...AMOUNT, description: 'The tax on the lines.' },
      totalAmount: { ...AMOUNT, description: 'The total amount.' },
    },
    description:
      'The next invoice: for the rest of the current period if that now costs more, otherwise for the next renewal.',
  },
} as const satisfies Fields;

export interface LineItemChangeRow extends RowOf<typeof LINE_ITEM_CHANGE> {}
