// The computed columns of a tag on an order.
import type { orderAppliedTag } from '../../../resources/orders/order-applied-tags.ts';
import type { Special } from '../table.ts';

export const orderAppliedTagTable: Special<typeof orderAppliedTag> = {
  computed: { updatedAt: 't.created_at' },
};
