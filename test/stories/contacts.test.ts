import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a newsletter: somebody signs up, is tagged, is found again, is untagged and is erased', async () => {
  const client = await newClient();
  const { workspace } = client;

  const mia = await client.post(`${workspace}/contacts/upsert`, {
    contact: { email_address: 'mia@example.com' },
  });
  const again = await client.post(`${workspace}/contacts/upsert`, {
    contact: { email_address: 'MIA@example.com', first_name: 'Mia' },
  });
  expect(again).toMatchObject({ id: mia.id, first_name: 'Mia' });
  const twice = await client.refused('POST', `${workspace}/contacts`, {
    contact: { email_address: 'mia@example.com' },
  });
  expect(twice).toEqual([422, 'invalid', 'email_address']);

  const tag = await client.post(`${workspace}/contacts/tags`, { contacts_tag: { name: 'Newsletter' } });
  await client.post(`/contacts/${mia.id}/applied_tags`, { contacts_applied_tag: { tag_id: tag.id } });
  const found = await client.get(`${workspace}/contacts?filter[tag_ids]=${tag.id}`);
  expect(found).toMatchObject([{ id: mia.id, tags: [{ name: 'Newsletter' }] }]);

  const filter = await client.post(`${workspace}/refine_filters`, {
    refine_filter: { name: 'Readers', criteria: [{ attribute: 'tags.id', clause: 'eq', value: tag.id }] },
  });
  expect(await client.get(`${workspace}/contacts?filter[refine_filter_id]=${filter.id}`)).toHaveLength(1);

  await client.patch(`/contacts/${mia.id}`, { contact: { tag_ids: [] } });
  expect(await client.get(`${workspace}/contacts?filter[refine_filter_id]=${filter.id}`)).toEqual([]);
  await client.remove(`/contacts/${mia.id}/gdpr_destroy`);
  const erased = await client.get(`/contacts/${mia.id}`);
  expect(erased).toMatchObject({ anonymous: 1, email_address: null, first_name: null });
  expect(await client.get(`${workspace}/contacts?filter[email_address]=mia@example.com`)).toEqual([]);
});
