import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a receiver: it subscribes, sees what it was sent, gets another secret, and is switched off', async () => {
  const client = await newClient();
  const { workspace } = client;

  const endpoint = await client.post(`${workspace}/webhooks/outgoing/endpoints`, {
    webhooks_outgoing_endpoint: {
      url: 'https://receiver.invalid/hook',
      name: 'CRM',
      event_type_ids: ['contact.created'],
    },
  });
  expect(endpoint).toMatchObject({ api_version: 2, webhook_secret: expect.any(String) });
  expect(await client.get(`/webhooks/outgoing/endpoints/${endpoint.id}`)).not.toHaveProperty(
    'webhook_secret',
  );

  const contact = await client.post(`${workspace}/contacts`, {
    contact: { email_address: 'leo@example.com' },
  });
  await client.patch(`/contacts/${contact.id}`, { contact: { first_name: 'Leo' } });
  const events = await client.get(`${workspace}/webhooks/outgoing/events`);
  expect(events).toContainEqual(
    expect.objectContaining({ event_type_id: 'contact.created', subject_id: contact.id }),
  );
  const deliveries = await client.get(`/webhooks/outgoing/endpoints/${endpoint.id}/deliveries`);
  expect(deliveries).toHaveLength(1);

  const { webhook_secret: next } = await client.post(
    `/webhooks/outgoing/endpoints/${endpoint.id}/rotate_secret`,
  );
  expect(next).not.toBe(endpoint.webhook_secret);
  await client.post(`/webhooks/outgoing/endpoints/${endpoint.id}/deactivate`);
  expect(await client.get(`/webhooks/outgoing/endpoints/${endpoint.id}`)).toMatchObject({
    deactivated_at: expect.any(String),
  });
});
