// The label of orders.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { tag } from './tags.ts';
import { workspace } from './workspaces.ts';

export const orderTag = describe({
  type: 'OrderTag',
  title: 'Order tag',
  table: 'order_tags',
  number: 31n,
  parent: workspace,
  plural: 'orderTags',
  path: 'orders/tags',
  scope: 'store',
  verbs: ['create', 'update', 'remove'],
  wrapper: 'orders_tag',
  description: 'A label for orders of a workspace. When it is deleted, orders lose it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: tag.fields.name,
    color: tag.fields.color,
    createdAt: { type: 'timestamp', description: 'When the tag was created.' },
    updatedAt: { type: 'timestamp', description: 'When the tag was last changed.' },
  },
  topic: 'orders/tag',
  subjectType: 'Orders::Tag',
  sorts: ['updatedAt'],
});

export interface OrderTagRow extends Row<typeof orderTag> {}
