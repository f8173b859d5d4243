// The label of orders.
import { describe, type Row } from '../description/resource.ts';
import { LABEL } from '../tags.ts';

export const orderTag = describe({
  ...LABEL,
  scannedSorts: ['createdAt', 'name'],
  type: 'OrderTag',
  title: 'Order tag',
  table: 'order_tags',
  number: 31n,
  plural: 'orderTags',
  path: 'orders/tags',
  scope: 'store',
  wrapper: 'orders_tag',
  description: 'A label for the orders of a workspace. Deleting a tag removes it from all orders.',
  topic: 'orders/tag',
  subjectType: 'Orders::Tag',
});

export interface OrderTagRow extends Row<typeof orderTag> {}
