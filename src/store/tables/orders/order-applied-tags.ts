// The computed columns of a tag on an order.
import { orderAppliedTag } from '../../../resources/orders/order-applied-tags.ts';
import { ownTable } from '../table.ts';

export const orderAppliedTagTable = ownTable(orderAppliedTag, {
  computed: { updatedAt: 't.created_at' },
});
