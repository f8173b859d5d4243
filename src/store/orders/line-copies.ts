// The copies of products, variants and prices in the lines of orders and invoices, as JSON: SQL over a price `p`, its variant `v` and its
// product `d`.
import { priceTerms } from '../sql/price-terms.ts';

const { duration, interval, intervalCount } = priceTerms('p');

/** The SQL of each copy. A line of an order shows numbers as JSON numbers, a line of an invoice as text. */
export const LINE_COPIES = {
  originalProduct: `json_build_object('id', d.id, 'public_id', d.public_id, 'name', d.name)`,
  orderedPrice: `json_build_object('id', p.id, 'public_id', p.public_id, 'name', p.name, 'amount', p.amount::text, 'currency', p.currency,
    'duration', ${duration}, 'interval', ${interval}, 'interval_count', ${intervalCount}, 'key', p.key)`,
  orderedVariant: `json_build_object('id', v.id, 'public_id', v.public_id, 'name', v.name, 'description', v.description, 'sku', v.sku)`,
  billedPrice: `json_build_object('id', p.id, 'public_id', p.public_id, 'amount', p.amount::text, 'currency', p.currency,
    'duration', (${duration})::text, 'interval', ${interval}, 'interval_count', (${intervalCount})::text)`,
  billedVariant: `json_build_object('id', v.id, 'public_id', v.public_id, 'name', v.name, 'product_id', d.id, 'description', v.description, 'sku', v.sku,
    'fulfillment_required', v.fulfillment_required)`,
} as const;

/** All of them as columns: `original_product`, `ordered_price`, `ordered_variant`, `billed_price`, `billed_variant`. */
export const COPIED_COLUMNS = `${LINE_COPIES.originalProduct} as original_product, ${LINE_COPIES.orderedPrice} as ordered_price,
  ${LINE_COPIES.orderedVariant} as ordered_variant, ${LINE_COPIES.billedPrice} as billed_price, ${LINE_COPIES.billedVariant} as billed_variant`;
