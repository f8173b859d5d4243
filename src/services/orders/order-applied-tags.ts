// Tags that are applied to orders.
import { orderAppliedTag } from '../../resources/orders/order-applied-tags.ts';
import { MAX_TAGS } from '../../resources/tags.ts';
import { appliedTagWrites } from '../contacts/applying-tags.ts';
import { defineService } from '../service.ts';

const writes = appliedTagWrites(orderAppliedTag, {
  touchesParent: true,
  most: { perParent: MAX_TAGS, property: 'tagId' },
  constraints: { order_applied_tags_workspace_id_order_id_tag_id_key: 'tagId' },
});

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(orderAppliedTag, { writes });
