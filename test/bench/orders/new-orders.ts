// The orders that are created: each of a contact, with three lines.
import type { Manifest } from '../dataset.ts';
import { writeRequest } from '../requests.ts';
import { LINES_PER_ORDER, VARIANTS } from '../shop-rows.ts';

/** As REST's body has it. */
export interface NewOrder {
  readonly order_type: 'one-time-order';
  readonly live_mode: true;
  readonly external_id: string;
  readonly contact_id: number;
  readonly line_items_attributes: readonly {
    readonly variant_id: number;
    readonly products_price_id: number;
    readonly quantity: number;
  }[];
}

/** Those who can create orders. */
export type OrderCreator = 'limit-json' | 'gateway';

/** As many orders as asked for, the same ones in every run. No order has two lines of the same variant. */
export function newOrders(count: number, { firstContactId, rows }: Manifest): NewOrder[] {
  return Array.from({ length: count }, (_, index) => ({
    order_type: 'one-time-order',
    live_mode: true,
    external_id: `bench-${index}`,
    contact_id: firstContactId + ((index * 7_919) % rows),
    line_items_attributes: Array.from({ length: LINES_PER_ORDER }, (_, line) => {
      // Each variant has a price with the same id.
      const id = 1 + ((index * 31 + line * 17) % VARIANTS);
      return { variant_id: id, products_price_id: id, quantity: 1 + ((index + line) % 3) };
    }),
  }));
}

/** The request for one order. `turn` tells the idempotency keys of one turn from the next one's. */
export function orderRequest({ workspaceId, token }: Manifest, order: NewOrder, turn: string): string {
  const path = `/api/v2/workspaces/${workspaceId}/orders`;
  return writeRequest('POST', path, token, `${turn}-${order.external_id}`, { order });
}
