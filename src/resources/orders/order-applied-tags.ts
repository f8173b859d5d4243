// An applied tag: the assignment of a tag to an order.
import { IDS } from '../description/common-fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { orderTag } from './order-tags.ts';
import { order } from './orders.ts';

export const orderAppliedTag = describe({
  type: 'OrderAppliedTag',
  graphql: false,
  title: 'Applied order tag',
  table: 'order_applied_tags',
  number: 32n,
  parent: order,
  path: 'applied_tags',
  members: 'orders/applied_tags',
  scope: 'store',
  verbs: ['create', 'remove'],
  numerous: true,
  wrapper: 'orders_applied_tag',
  description: 'A tag on an order.',
  fields: {
    ...IDS,
    orderId: { type: 'int8', description: 'The integer id of the order.' },
    tagId: {
      type: 'int8',
      refers: orderTag,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the tag, in the order’s workspace.',
    },
    createdAt: { type: 'timestamp', description: 'When the tag was applied.' },
    updatedAt: { type: 'timestamp', description: 'When the tag was applied: an applied tag never changes.' },
  },
  topic: 'orders/applied_tag',
  subjectType: 'Orders::AppliedTag',
  unchanging: true,
});

export interface OrderAppliedTagRow extends Row<typeof orderAppliedTag> {}
