import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a saved filter: it is tried, saved, applied, changed, used by a split, and deleted', async () => {
  const client = await newClient();
  const { workspace } = client;
  const contact = (members: object) => client.post(`${workspace}/contacts`, { contact: members });
  const mia = await contact({ first_name: 'Mia', email_address: 'early+mia@example.com' });
  const leo = await contact({ first_name: 'Leo', email_address: 'leo@example.com' });

  const early = { attribute: 'email_address', clause: 'sw', value: 'early+' };
  const wrong = { refine_filter: { name: 'Early', criteria: [{ ...early, clause: 'gt' }] } };
  const refused = await client.refused('POST', `${workspace}/refine_filters`, wrong);
  expect(refused).toEqual([422, 'invalid', 'criteria[0].clause']);
  const filter = await client.post(`${workspace}/refine_filters`, {
    refine_filter: { name: 'Early birds', criteria: [early] },
  });
  const selected = () => client.get(`${workspace}/contacts?filter[refine_filter_id]=${filter.id}`);
  expect(await selected()).toMatchObject([{ id: mia.id }]);

  const leos = { attribute: 'first_name', clause: 'eq', value: 'leo' };
  await client.patch(`/refine_filters/${filter.id}`, {
    refine_filter: { conjunction: 'or', criteria: [early, leos] },
  });
  expect(await selected()).toMatchObject([{ id: mia.id }, { id: leo.id }]);
  const { data } = await client.graphql(
    'query ($id: BigInt!) { data: savedFilter(by: { databaseId: $id }) { name contacts { totalCount } } }',
    { id: filter.id },
  );
  expect(data).toEqual({ name: 'Early birds', contacts: { totalCount: 2 } });

  const funnel = await client.post(`${workspace}/funnels`, { funnel: { name: 'Launch' } });
  const page = (members: object) => client.post(`${workspace}/pages`, { page: members });
  const { show_page_step: step } = await page({ name: 'Offer', funnel: { funnel_id: funnel.id } });
  const branches = [await page({ name: 'Early' }), await page({ name: 'Late' })];
  const split = await client.post(`/funnels/${funnel.id}/conditional_split_steps`, {
    conditional_split_step: {
      show_page_step_id: step.id,
      condition: { filter_id: filter.public_id },
      branches: branches.map(({ id }) => ({ page_id: id })),
    },
  });
  expect(await client.refused('DELETE', `/refine_filters/${filter.id}`)).toEqual([409, 'conflict']);
  await client.remove(`/funnels/${funnel.id}/conditional_split_steps/${split.id}?branch=matched`);
  await client.remove(`/refine_filters/${filter.id}`);
});
