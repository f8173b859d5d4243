import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('an opportunity: it is noted, moved to another stage, and won', async () => {
  const client = await newClient();
  const { workspace } = client;

  const pipeline = await client.post(`${workspace}/sales/pipelines`, {
    sales_pipeline: {
      name: 'Clubs',
      stages_attributes: [
        { name: 'Enquiry', close_probability: 10 },
        { name: 'Offer sent', close_probability: 60 },
      ],
    },
  });
  const [enquiry, offer] = pipeline.stages;

  const mia = await client.post(`${workspace}/contacts`, { contact: { email_address: 'mia@example.com' } });
  const opportunity = await client.post(`${workspace}/sales/opportunities`, {
    sales_opportunity: {
      name: 'Tents for the scouts',
      pipelines_stage_id: enquiry.id,
      primary_contact_id: mia.id,
      value: '3480.00',
    },
  });
  const member = `/sales/opportunities/${opportunity.id}`;
  await client.post(`${member}/notes`, {
    sales_opportunities_note: { content: 'Wants an offer by Friday.' },
  });

  await client.patch(member, { sales_opportunity: { pipelines_stage_id: offer.id } });
  expect(await client.get(`/sales/pipelines/stages/${offer.id}`)).toMatchObject({
    opportunity_ids: [opportunity.id],
    total_value: 3480,
    weighted_value: 2088,
  });

  await client.post(`${member}/win`, {});
  expect(await client.get(`${member}?expand[]=status`)).toMatchObject({
    status: 'won',
    value: 3480,
    pipelines_stage: { name: 'Offer sent' },
    primary_contact: { email_address: 'mia@example.com' },
    notes: [{ content: 'Wants an offer by Friday.' }],
  });
});
