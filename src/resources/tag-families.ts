// Which objects can have tags, and which tags are theirs.
import { appliedTag } from './applied-tags.ts';
import { contact } from './contacts.ts';
import { funnelTag } from './funnel-labels.ts';
import { funnel } from './funnels.ts';
import { orderAppliedTag } from './orders/order-applied-tags.ts';
import { orderTag } from './orders/order-tags.ts';
import { order } from './orders/orders.ts';
import { productTag } from './product-tags.ts';
import { product } from './products.ts';
import { MAX_TAGS, tag } from './tags.ts';

/**
 * Each noun whose objects have tags, with the noun of these tags, and the most tags that one object can have. A tag on a contact or an
 * order is a row of its own, `applied`; those of products and funnels are the list `tagIds` of the object.
 */
export const TAG_FAMILIES = [
  { object: contact, tag, applied: appliedTag, most: MAX_TAGS },
  { object: order, tag: orderTag, applied: orderAppliedTag, most: MAX_TAGS },
  { object: product, tag: productTag, applied: null, most: product.fields.tagIds.maxLength },
  { object: funnel, tag: funnelTag, applied: null, most: funnel.fields.tagIds.maxLength },
] as const;

export type TagFamily = (typeof TAG_FAMILIES)[number];

/** The most objects and tags in one change of tags. */
export const MAX_TAGGED = 100;
export const MAX_TAGS_AT_ONCE = 20;
