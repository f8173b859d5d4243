// The change of a line of a subscription: its preview, and performing it.
import { LINE_ITEM_CHANGE_INPUT, lineItemChange } from '../resources/order-line-item-changes.ts';
import { orderLineItem } from '../resources/orders.ts';
import * as changes from '../services/order-line-item-changes.ts';
import { bodyOf } from './body.ts';
import { changedOf, objectOf, shown } from './responses.ts';
import { type Route, route } from './route.ts';

const PATH = '/api/v2/orders/line_items/:line_item_id/changes';
const changing = {
  method: 'POST',
  resource: orderLineItem,
  body: bodyOf(lineItemChange, 'creation', LINE_ITEM_CHANGE_INPUT, 'OrderLineItemChangeCreation'),
} as const;

export const lineItemChangeRoutes: readonly Route[] = [
  route({
    ...changing,
    path: PATH,
    operationId: 'previewOrderLineItemChange',
    summary: 'Shows what a change of a line to another price would do, and changes nothing',
    scope: changes.scope,
    response: objectOf(shown(lineItemChange), 'The line before and after, and the next invoice.'),
    handle: ({ ctx, params, body }) => changes.preview(ctx, params.line_item_id, body),
  }),
  route({
    ...changing,
    path: `${PATH}/perform`,
    operationId: 'performOrderLineItemChange',
    summary: 'Changes a line of a subscription to another price',
    scope: changes.writeScope,
    response: changedOf(shown(lineItemChange), 'The line before and after, and the next invoice.'),
    handle: ({ ctx, params, body, options }) => changes.perform(ctx, params.line_item_id, body, options),
  }),
];
