// Fulfillments, and the locations that they are sent from.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { fulfillmentLocation } from '../../resources/fulfillment-locations.ts';
import { type FulfillmentRow, fulfillment } from '../../resources/fulfillments.ts';
import {
  cancelFulfillment,
  FULFILLMENT_LOCATION_RULES,
  FULFILLMENT_RULES,
} from '../../store/changing/fulfillments.ts';
import { lockRow } from '../../store/changing/lock-row.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { requireTransition } from '../changing/transitions.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const FULFILLMENTS = tableOf(fulfillment);

const writes = writesOf(fulfillment, FULFILLMENT_RULES);
const { writeScope } = writes;

/** Cancels a fulfillment; a cancelled one stays unchanged. @throws AppError `not_found`; `conflict` if its goods are in stock again */
export async function cancel(
  ctx: Context,
  ref: Ref,
  _input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<FulfillmentRow>> {
  const by = requireScope(ctx, writeScope);
  return changeLocked(ctx, FULFILLMENTS, ref, options, {
    by,
    lock: (tx, tenancy, id) => lockRow(tx, FULFILLMENTS, tenancy, id),
    action: 'cancelled',
    async make(tx, { workspaceId }, { id, status, lineItems }) {
      requireTransition(fulfillment.fields.status, status, 'cancelled', 'status');
      if (status === 'cancelled') return null;
      const lineIds = lineItems.map(({ invoicesLineItemId }) => invoicesLineItemId);
      return cancelFulfillment(tx, workspaceId, id, lineIds);
    },
  });
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(fulfillment, { writes, actions: { cancel } });

export const locations = defineService(fulfillmentLocation, {
  writes: writesOf(fulfillmentLocation, FULFILLMENT_LOCATION_RULES),
});
