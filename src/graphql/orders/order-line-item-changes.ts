// The change of a line of a subscription: a field of the line previews it, and a mutation performs it.
import { graphqlNameOf } from '../../resources/description/names.ts';
import { LINE_ITEM_CHANGE, LINE_ITEM_CHANGE_INPUT } from '../../resources/orders/order-line-item-changes.ts';
import { orderLineItem } from '../../resources/orders/orders.ts';
import * as changes from '../../services/orders/order-line-item-changes.ts';
import { builder } from '../builder.ts';
import { nameSets, withEnumNames } from '../closed-sets.ts';
import { loadBatched } from '../context.ts';
import { formOf } from '../input-values.ts';
import { defineMutation } from '../mutations.ts';
import { nodeOf } from '../nouns.ts';
import { graphqlTypeOf, objectFields, objectType } from '../resource-fields.ts';

/** The cost of a preview, in rows: that of a change. */
const PREVIEW_COST = 20;

const OrderLineItem = nodeOf(orderLineItem);
const fields = LINE_ITEM_CHANGE;

const UpcomingInvoice = objectType(
  'UpcomingInvoice',
  'The next invoice of a subscription, as it would be after a change.',
  fields.upcomingInvoice.object,
);

const OrderLineItemChange = objectType(
  'OrderLineItemChange',
  'The change of a line of a subscription to another price.',
  fields,
  (t) => ({
    newLineItem: t.field({
      type: OrderLineItem.ref,
      scope: null,
      description: fields.newLineItem.description,
      resolve: ({ newLineItem }) => newLineItem,
    }),
    previousLineItem: t.field({
      type: OrderLineItem.ref,
      scope: null,
      description: fields.previousLineItem.description,
      resolve: ({ previousLineItem }) => previousLineItem,
    }),
    ...objectFields(t, fields, { upcomingInvoice: UpcomingInvoice }),
  }),
);

const { priceId, effectiveTime, prorate } = LINE_ITEM_CHANGE_INPUT;
nameSets('LineItemChange', LINE_ITEM_CHANGE_INPUT);

builder.objectField(OrderLineItem.ref, 'changePreview', (t) =>
  t.field({
    type: OrderLineItemChange,
    nullable: true,
    scope: changes.scope,
    cost: PREVIEW_COST,
    columns: ['id'],
    description: 'A preview of a change of the line to another price. Nothing is changed.',
    args: {
      priceId: t.arg.id({
        required: true,
        description: priceId.description.replace(/The .*? of/, 'The global id of'),
      }),
      effectiveTime: t.arg({
        type: graphqlTypeOf(effectiveTime) as 'String',
        description: withEnumNames(effectiveTime).description,
      }),
      prorate: t.arg.boolean({ description: prorate.description }),
    },
    resolve({ id }, members, ctx) {
      const input = { members, nameOf: graphqlNameOf, whole: 'arguments', formOf };
      // A line that the answer shows in several places is previewed once.
      return loadBatched(ctx, `order_line_items.preview ${JSON.stringify(members)}`, id, (ids) =>
        Promise.all(ids.map((one) => changes.preview(ctx, one, input).catch((error: Error) => error))),
      );
    },
  }),
);

defineMutation('performLineItemChange', {
  description: 'Changes a line of a subscription to another price.',
  scope: changes.writeScope,
  of: [OrderLineItem],
  fields: LINE_ITEM_CHANGE_INPUT,
  moment: 'creation',
  change: (ctx, [id = 0n], input, options) => changes.perform(ctx, id, input, options),
  payload: (t) => ({
    lineItemChange: t.field({
      type: OrderLineItemChange,
      description: 'The line before and after, and the next invoice.',
      resolve: ({ result }) => result.row,
    }),
  }),
});
