// Orders over REST: what they are made of, and what they do to stock, numbers and contacts.
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { line, offer } from '../support/orders/shop.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
let contactId: number;

beforeEach(async () => {
  client = await createRestClient(gateway);
  contactId = Number((await factories.contact(app, { workspaceId: client.workspaceId })).id);
});

const orders = () => `/api/v2/workspaces/${client.workspaceId}/orders`;

describe('making an order', () => {
  test('copies what was ordered, adds it up, and writes an invoice', async () => {
    const mug = await offer(app, client.workspaceId, { amount: '12.10', setup: '1.00' });
    const { status, body } = await client.send('POST', orders(), {
      order: {
        ...{ contact_id: contactId, live_mode: true, order_type: 'one-time-order' },
        line_items_attributes: [line(mug, 3)],
      },
    });
    console.log(JSON.stringify(body, null, 1));
    expect(status).toBe(201);
    const { text } = await client.send('GET', `/api/v2/orders/${body['id']}/invoices`);
    console.log(text);
  });
});
