// Previews and performs the change of a line of a subscription.
import { describe, type Resource } from '../../resources/description/resource.ts';
import { LINE_ITEM_CHANGE, LINE_ITEM_CHANGE_INPUT } from '../../resources/orders/order-line-item-changes.ts';
import { orderLineItem } from '../../resources/orders/orders.ts';
import * as changes from '../../services/orders/order-line-item-changes.ts';
import { bodyOf, refuseInQuery } from '../body.ts';
import { objectOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const lineItemChange = describe({
  type: 'OrderLineItemChange',
  title: 'Line item change',
  table: orderLineItem.table,
  wrapper: 'orders_line_items_change',
  description: 'The change of a line of a subscription to another price.',
  fields: {
    ordersLineItemsChange: { type: 'json', object: LINE_ITEM_CHANGE, description: 'The change of the line.' },
  },
});

const ANSWER = 'The line before and after, and the next invoice.';
const PATH = '/api/v2/orders/line_items/:line_item_id/changes';
const changing = {
  method: 'POST',
  resource: lineItemChange as Resource,
  query: refuseInQuery(LINE_ITEM_CHANGE_INPUT),
  // Ignoring a misspelled `effective_time` would bill the prorated amount at once.
  body: bodyOf(lineItemChange, 'creation', LINE_ITEM_CHANGE_INPUT, 'OrderLineItemChangeCreation', true),
} as const;

export const lineItemChangeRoutes: readonly Route[] = [
  route({
    ...changing,
    path: PATH,
    operationId: 'previewOrderLineItemChange',
    summary: 'Previews the change of a subscription line to another price, and changes nothing',
    scope: changes.scope,
    response: objectOf(outputOf(lineItemChange), ANSWER),
    handle: async ({ ctx, params, body }) => ({
      ordersLineItemsChange: await changes.preview(ctx, params.line_item_id, body),
    }),
  }),
  route({
    ...changing,
    path: `${PATH}/perform`,
    operationId: 'performOrderLineItemChange',
    summary: 'Changes a line of a subscription to another price',
    scope: changes.writeScope,
    response: objectOf(outputOf(lineItemChange), ANSWER),
    async handle({ ctx, params, body, options }) {
      const { row } = await changes.perform(ctx, params.line_item_id, body, options);
      return { ordersLineItemsChange: row };
    },
  }),
];
