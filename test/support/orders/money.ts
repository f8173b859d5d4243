// Creates, pays, refunds and restocks orders over REST.
import { expect } from 'vitest';
import type { App } from '../../../src/context.ts';
import { types } from '../../../src/store/sql/value-types.ts';
import * as factories from '../factories.ts';
import type { Gateway } from '../gateway.ts';
import { createRestClient, type RestClient } from '../rest-client.ts';
import { type Goods, line } from './shop.ts';

export interface Till {
  readonly client: RestClient;
  /** Orders goods. */
  order(
    lines: readonly (readonly [Goods, number])[],
    given?: object,
  ): Promise<{ id: number; invoiceId: number }>;
  pay(orderId: number, given: object, headers?: Record<string, string>): ReturnType<RestClient['send']>;
  refund(transactionId: number, given?: object): ReturnType<RestClient['send']>;
  restock(
    invoiceId: number,
    lines: readonly (readonly [id: number, quantity: number])[],
  ): ReturnType<RestClient['send']>;
  get(path: string): Promise<Record<string, unknown>>;
  /** The types of the events of the workspace, the oldest first, except those with this prefix. */
  events(): Promise<string[]>;
}

/** A shop in a workspace of its own, with one customer. */
export async function openTill(gateway: Gateway): Promise<Till> {
  const { app } = gateway;
  const client = await createRestClient(gateway);
  const { workspaceId } = client;
  const contact = await factories.contact(app, { workspaceId });
  const till: Till = {
    client,
    async order(lines, given = {}) {
      const made = await client.send('POST', `/api/v2/workspaces/${workspaceId}/orders`, {
        order: {
          ...{ contact_id: Number(contact.id), live_mode: true, order_type: 'one-time-order', ...given },
          line_items_attributes: lines.map(([goods, quantity]) => line(goods, quantity)),
        },
      });
      expect([made.status, made.text]).toEqual([201, made.text]);
      const invoices = await client.send('GET', `/api/v2/orders/${made.body.id}/invoices`);
      const [invoice] = JSON.parse(invoices.text) as { id: number }[];
      return { id: made.body.id, invoiceId: invoice?.id ?? 0 };
    },
    pay: (orderId, given, headers) =>
      client.send(
        'POST',
        `/api/v2/orders/${orderId}/transactions`,
        { orders_transaction: { external_id: 'ch_1', ...given } },
        headers,
      ),
    refund: (transactionId, given) =>
      client.send('POST', `/api/v2/orders/transactions/${transactionId}/refund`, given),
    restock: (invoiceId, lines) =>
      client.send('POST', `/api/v2/orders/invoices/${invoiceId}/restocks`, {
        orders_invoices_restock: {
          included_invoices_line_items_attributes: lines.map(([invoices_line_item_id, quantity]) => ({
            invoices_line_item_id,
            quantity,
          })),
        },
      }),
    async get(path) {
      const { status, text } = await client.send('GET', `/api/v2/${path}`);
      expect([status, text]).toEqual([200, text]);
      return JSON.parse(text) as Record<string, unknown>;
    },
    async events() {
      const { rows } = await app.store.pool.query<{ event_type: string }>(
        'select event_type from events where workspace_id = $1 order by id',
        [workspaceId],
      );
      return rows.map(({ event_type }) => event_type);
    },
  };
  return till;
}

/** Another price of the same variant. */
export async function anotherPrice(
  app: App,
  {
    workspaceId,
    goods,
    amount,
    interval = 'month',
    paymentType = 'subscription',
    currency = 'EUR',
  }: {
    readonly workspaceId: bigint;
    readonly goods: Goods;
    readonly amount: string;
    readonly interval?: string;
    readonly paymentType?: string;
    readonly currency?: string;
  },
): Promise<Goods> {
  const { rows } = await app.store.pool.query<{ id: bigint }>({
    text: `insert into product_prices (workspace_id, product_id, variant_id, name, amount, currency, payment_type, interval)
      values ($1, $2, $3, 'Other', $4, $5, $6, $7) returning id`,
    values: [workspaceId, goods.productId, goods.variantId, amount, currency, paymentType, interval],
    types,
  });
  return { ...goods, priceId: rows[0]?.id ?? 0n };
}
