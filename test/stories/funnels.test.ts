import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a funnel: pages, a split that decides, visits that are counted, and a split that goes', async () => {
  const client = await newClient();
  const { workspace } = client;

  const funnel = await client.post(`${workspace}/funnels`, {
    funnel: { name: 'Winter Sale', live_mode: true },
  });
  const offer = await client.post(`${workspace}/pages`, {
    page: { name: 'Offer', funnel: { funnel_id: funnel.id } },
  });
  const filter = await client.post(`${workspace}/refine_filters`, {
    refine_filter: { name: 'Mias', criteria: [{ attribute: 'first_name', clause: 'eq', value: 'Mia' }] },
  });
  const [vip, everyone] = [
    await client.post(`${workspace}/pages`, { page: { name: 'For you' } }),
    await client.post(`${workspace}/pages`, { page: { name: 'For everyone' } }),
  ];
  const split = await client.post(`/funnels/${funnel.id}/conditional_split_steps`, {
    conditional_split_step: {
      show_page_step_id: offer.show_page_step.id,
      condition: { filter_id: filter.public_id },
      branches: [{ page_id: vip.id }, { page_id: everyone.id }],
    },
  });

  const mia = await client.post(`${workspace}/contacts`, { contact: { first_name: 'Mia' } });
  const went = await client.get(
    `/funnels/${funnel.id}/conditional_split_steps/${split.id}/branch?contact_id=${mia.id}`,
  );
  expect(went.branch).toBe('matched');

  await client.post(`/pages/${offer.id}/visits`, { visits: [{ uuid: randomUUID(), contact_id: mia.id }] });
  const { data } = await client.graphql(
    'query ($id: BigInt!) { data: funnel(by: { databaseId: $id }) { name steps { name parent { id } } } }',
    {
      id: funnel.id,
    },
  );
  const top = data.steps.filter((step: { parent: object | null }) => step.parent === null);
  expect(top.map((step: { name: string }) => step.name)).toEqual(['Offer', 'Conditional split']);

  await client.remove(`/funnels/${funnel.id}/conditional_split_steps/${split.id}?branch=unmatched`);
  const { steps } = await client.get(`/funnels/${funnel.id}/structure`);
  expect(steps.map((step: { name: string }) => step.name)).toEqual(['Offer', 'For you']);
});
