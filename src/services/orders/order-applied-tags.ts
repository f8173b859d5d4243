// Tags that are applied to orders.
import { orderAppliedTag } from '../../resources/orders/order-applied-tags.ts';
import { MAX_TAGS } from '../../resources/tags.ts';
import { appliedTagWrites } from '../contacts/applying-tags.ts';

export const { writeScope, create, remove } = appliedTagWrites(orderAppliedTag, {
  touchesParent: true,
  most: { perParent: MAX_TAGS, property: 'tagId' },
  constraints: { order_applied_tags_workspace_id_order_id_tag_id_key: 'tagId' },
});
