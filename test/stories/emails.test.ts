import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a newsletter is drafted, changed and thrown away, and nobody gets an e-mail', async () => {
  const client = await newClient();
  const { workspace } = client;

  await client.post(`${workspace}/emails/addresses`, {
    emails_address: { email_address: 'hello@shop.example', name: 'The shop' },
  });
  const news = await client.post(`${workspace}/emails/topics`, { emails_topic: { name: 'News' } });
  const template = await client.post(`${workspace}/emails/templates`, {
    emails_template: {
      name: 'Monthly',
      template_type: 'newsletter',
      subject: 'News',
      html_body: '<p>Hello</p>',
    },
  });
  const readers = await client.post(`${workspace}/refine_filters`, {
    refine_filter: { name: 'Readers', criteria: [{ attribute: 'email_address', clause: 'sw', value: 'm' }] },
  });

  const broadcasts = `${workspace}/emails/broadcasts`;
  const emails_broadcast = {
    ...{ name: 'October', from_email: 'hello@shop.example', template_id: template.id },
    ...{ filter_id: readers.id, topic_ids: [news.id], send_at: '2030-10-01T08:00:00Z' },
  };
  const draft = await client.post(broadcasts, { emails_broadcast });
  expect(draft).toMatchObject({
    ...{ status: 'draft', subject: 'News', html_body: '<p>Hello</p>', from_name: 'The shop' },
    ...{ filter_id: readers.id, topic_ids: [news.id], send_at: '2030-10-01T08:00:00.000Z' },
  });
  const now = { emails_broadcast: { ...emails_broadcast, send_immediately: true } };
  expect(await client.refused('POST', broadcasts, now)).toEqual([422, 'invalid', 'send_immediately']);

  const member = `/emails/broadcasts/${draft.id}`;
  const better = { subject: 'News of October', send_at: null };
  expect(await client.patch(member, { emails_broadcast: better })).toMatchObject(better);
  expect(await client.get(`${broadcasts}?filter[status]=draft`)).toHaveLength(1);
  await client.remove(member);
  expect(await client.get(broadcasts)).toEqual([]);
});

test('an appointment is made, moved and canceled', async () => {
  const client = await newClient();
  const { workspace } = client;

  const mia = await client.post(`${workspace}/contacts`, { contact: { email_address: 'mia@example.com' } });
  const list = `${workspace}/appointments/scheduled_events`;
  const made = await client.post(list, {
    appointments_scheduled_event: {
      ...{ primary_contact_id: mia.id, event_type: { name: 'First call' } },
      ...{ start_on: '2030-10-01T09:00:00Z', end_on: '2030-10-01T09:45:00Z' },
    },
  });
  const member = `/appointments/scheduled_events/${made.id}`;
  const moved = await client.post(`${member}/reschedule`, {
    appointments_scheduled_event: { start_on: '2030-10-02T11:00:00Z' },
  });
  expect(moved).toMatchObject({ start_on: '2030-10-02T11:00:00.000Z', end_on: '2030-10-02T11:45:00.000Z' });
  expect(await client.post(`${member}/cancel`)).toMatchObject({ status: 'canceled' });
  expect(await client.get(list)).toMatchObject([{ id: made.id, status: 'canceled' }]);
  expect(
    await client.refused('POST', `${member}/reschedule`, {
      appointments_scheduled_event: { start_on: '2030-10-03T11:00:00Z' },
    }),
  ).toEqual([409, 'conflict', 'status']);
});
