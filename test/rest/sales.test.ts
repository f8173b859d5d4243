// Sales: pipelines with stages in their order, opportunities that move, are won, lost and reopened, and notes.
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
let contactId: bigint;

const send = async (status: number, method: string, path: string, body?: object) => {
  const answer = await client.send(method, `/api/v2/${path}`, body);
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  return answer.body;
};
const created = (path: string, body: object) => send(201, 'POST', path, body);
const get = (path: string) => send(200, 'GET', path);
const change = (path: string, body: object) => send(200, 'PATCH', path, body);

const pipelineOf = (members: object = {}) =>
  created(`workspaces/${client.workspaceId}/sales/pipelines`, {
    sales_pipeline: {
      name: 'Shops',
      stages_attributes: [
        { name: 'New', close_probability: 10 },
        { name: 'Offer', close_probability: '50.0' },
      ],
      ...members,
    },
  });
interface Stage {
  readonly id: number;
  readonly name: string;
  readonly [name: string]: unknown;
}
const stagesOf = (pipeline: object) => (pipeline as { stages: [Stage, Stage] }).stages;
const opportunityIn = (stage: { id: number }, members: object = {}) =>
  created(`workspaces/${client.workspaceId}/sales/opportunities`, {
    sales_opportunity: {
      ...{ name: 'Tents', pipelines_stage_id: stage.id, primary_contact_id: Number(contactId) },
      ...members,
    },
  });
const eventsOf = async (id: number) => {
  const { rows } = await app.store.pool.query<{ type: string }>(
    `select event_type as type from events where workspace_id = $1 and subject_type = 'Sales::Opportunity' and subject_id = $2 order by id`,
    [client.workspaceId, id],
  );
  return rows.map((row) => row.type.replace('sales/opportunity.', ''));
};
const price = async (currency: string) => {
  const product = await created(`workspaces/${client.workspaceId}/products`, { product: { name: 'Tent' } });
  await created(`products/${product.id}/prices`, { products_price: { amount: '1', currency } });
};

beforeEach(async () => {
  client = await createRestClient(gateway);
  contactId = (await factories.contact(app, { workspaceId: BigInt(client.workspaceId) })).id;
});

describe('a pipeline', () => {
  test('and stages are found by their ids', async () => {
    const [first, second] = [await pipelineOf(), await pipelineOf({ name: 'Fairs' })];
    const all = `workspaces/${client.workspaceId}/sales/pipelines`;
    expect(await get(`${all}?filter[id]=${second.id}`)).toEqual([
      expect.objectContaining({ id: second.id, name: 'Fairs' }),
    ]);
    const [, offer] = stagesOf(first);
    const stages = `sales/pipelines/${first.id}/stages`;
    expect(await get(`${stages}?filter[id]=${offer.id}`)).toEqual([
      expect.objectContaining({ id: offer.id }),
    ]);
    expect(await get(`${stages}?filter[id]=${stagesOf(second)[0].id}`)).toEqual([]);
  });

  test('is created and changed with its stages, which come in their order', async () => {
    const pipeline = await pipelineOf();
    const [first, second] = stagesOf(pipeline);
    expect([first, second]).toMatchObject([
      { name: 'New', close_probability: 10, sort_order: 0, total_value: 0, weighted_value: 0 },
      { name: 'Offer', close_probability: 50, sort_order: 1, opportunity_ids: [], pipeline_id: pipeline.id },
    ]);
    const changed = await change(`sales/pipelines/${pipeline.id}`, {
      sales_pipeline: {
        stages_attributes: [
          { id: first.id, name: 'Fresh' },
          { close_probability: 90 },
          { id: second.id, _destroy: true },
        ],
      },
    });
    expect(stagesOf(changed)).toMatchObject([
      { id: first.id, name: 'Fresh', close_probability: 10 },
      { name: 'Stage 2', close_probability: 90, sort_order: 2 },
    ]);
  });

  test('has stages that are written singly too, at a place that the client chooses', async () => {
    const pipeline = await pipelineOf();
    const path = `sales/pipelines/${pipeline.id}/stages`;
    const last = await created(path, { sales_pipelines_stage: { name: 'Contract', close_probability: 90 } });
    expect(last).toMatchObject({
      sort_order: 2,
      pipeline_id: pipeline.id,
      workspace_id: Number(client.workspaceId),
    });
    const early = await created(path, {
      sales_pipelines_stage: { name: 'Call', close_probability: '5', sort_order: 0 },
    });
    const names = async () => stagesOf(await get(`sales/pipelines/${pipeline.id}`)).map(({ name }) => name);
    expect(await names()).toEqual(['New', 'Call', 'Offer', 'Contract']);
    await change(`sales/pipelines/stages/${last.id}`, { sales_pipelines_stage: { sort_order: -1 } });
    expect(await names()).toEqual(['Contract', 'New', 'Call', 'Offer']);
    const [one, two] = stagesOf(pipeline);
    await send(204, 'POST', `${path}/reorder`, { ids_in_order: [early.id, two.id, one.id, last.id] });
    expect(await names()).toEqual(['Call', 'Offer', 'New', 'Contract']);
    const bad = { sales_pipelines_stage: { name: 'No', close_probability: 101 } };
    expect(await client.refused(422, 'POST', `/api/v2/${path}`, bad)).toEqual(['close_probability']);
  });

  test('has the currency of the workspace, which its opportunities take over', async () => {
    const dollars = await pipelineOf();
    await price('EUR');
    const euros = await pipelineOf();
    const currencyOf = async (path: string) => (await get(`${path}?expand[]=currency`))['currency'];
    expect(await currencyOf(`sales/pipelines/${dollars.id}`)).toBe('USD');
    expect(await currencyOf(`sales/pipelines/${euros.id}`)).toBe('EUR');
    const [inDollars, inEuros] = [stagesOf(dollars)[0], stagesOf(euros)[0]];
    const { id } = await opportunityIn(inEuros, { value: 12 });
    expect(await currencyOf(`sales/opportunities/${id}`)).toBe('EUR');
    // A sum has one currency.
    const moved = { sales_opportunity: { pipelines_stage_id: inDollars.id } };
    expect(await client.refused(422, 'PATCH', `/api/v2/sales/opportunities/${id}`, moved)).toEqual([
      'pipelines_stage_id',
    ]);
    const yen = await pipelineOf({ currency: 'JPY' });
    const fraction = {
      sales_opportunity: {
        ...{ name: 'X', primary_contact_id: Number(contactId) },
        ...{ pipelines_stage_id: stagesOf(yen)[0].id, value: '1.5' },
      },
    };
    const opportunities = `/api/v2/workspaces/${client.workspaceId}/sales/opportunities`;
    expect(await client.refused(422, 'POST', opportunities, fraction)).toEqual(['value']);
    await expect(
      app.store.pool.query(`update opportunities set currency = 'USD' where id = $1`, [id]),
    ).rejects.toThrow('opportunities_workspace_id_pipeline_id_fkey');
  });

  test('sums the values of its opportunities, without those that are lost', async () => {
    const pipeline = await pipelineOf();
    const [first, second] = stagesOf(pipeline);
    const one = await opportunityIn(first, { value: 100 });
    await opportunityIn(second, { value: '50.25' });
    const lost = await opportunityIn(second, { value: 1000.5 });
    await opportunityIn(second);
    await send(200, 'POST', `sales/opportunities/${lost.id}/lose`);
    await send(200, 'POST', `sales/opportunities/${one.id}/win`);
    const shown = await get(`sales/pipelines/${pipeline.id}?expand[]=total_amount`);
    expect(shown).toMatchObject({ total_value: 150, total_amount: '150.25' });
    expect(stagesOf(shown)).toMatchObject([
      { total_value: 100, weighted_value: 10, opportunity_ids: [one.id] },
      { total_value: 50, weighted_value: 25.13 },
    ]);
    expect(stagesOf(shown)[1]['opportunity_ids']).toHaveLength(3);
    expect(await get(`sales/pipelines/stages/${second.id}`)).toMatchObject({ total_amount: '50.25' });
  });

  test('and a stage are not deleted while there are opportunities in them', async () => {
    const pipeline = await pipelineOf();
    const [first, second] = stagesOf(pipeline);
    const { id } = await opportunityIn(first);
    const refused = await client.send('DELETE', `/api/v2/sales/pipelines/stages/${first.id}`);
    expect([refused.status, refused.body['detail']]).toEqual([
      409,
      'The stage is used by an opportunity and was not deleted.',
    ]);
    const within = { sales_pipeline: { stages_attributes: [{ id: first.id, _destroy: true }] } };
    expect((await client.send('PATCH', `/api/v2/sales/pipelines/${pipeline.id}`, within)).status).toBe(409);
    expect((await client.send('DELETE', `/api/v2/sales/pipelines/${pipeline.id}`)).status).toBe(409);
    await change(`sales/opportunities/${id}`, { sales_opportunity: { pipelines_stage_id: second.id } });
    await send(204, 'DELETE', `sales/pipelines/stages/${first.id}`);
    await send(204, 'DELETE', `sales/opportunities/${id}`);
    await send(204, 'DELETE', `sales/pipelines/${pipeline.id}`);
    expect(await client.send('GET', `/api/v2/sales/pipelines/stages/${second.id}`)).toMatchObject({
      status: 404,
    });
  });
});

describe('an opportunity', () => {
  test('shows its pipeline, stage, contact and notes as the public API does', async () => {
    const pipeline = await pipelineOf();
    const [stage] = stagesOf(pipeline);
    const { id } = await opportunityIn(stage, { value: '19.90' });
    const note = await created(`sales/opportunities/${id}/notes`, {
      sales_opportunities_note: { content: 'Called.' },
    });
    const shown = await get(`sales/opportunities/${id}`);
    expect(shown).toMatchObject({
      ...{ value: 19.9, pipeline_id: String(pipeline.id), pipelines_stage_id: stage.id, assignee_id: null },
      pipeline: { id: pipeline.id, name: 'Shops' },
      pipelines_stage: { id: stage.id, name: 'New' },
      primary_contact: { id: Number(contactId), anonymous: 0, tags: [] },
      notes: [{ id: note.id, content: 'Called.', created_by_id: note['created_by_id'] }],
      closed_at: null,
    });
    expect(Object.keys(shown)).not.toContain('status');
    expect(Object.keys((shown['notes'] as object[])[0] ?? {})).not.toContain('opportunity_id');
  });

  test('is found by its pipeline, stage, contact and assignee', async () => {
    const [first, second] = stagesOf(await pipelineOf());
    const one = await opportunityIn(first);
    const two = await opportunityIn(second);
    const list = async (filter: string) => {
      const found = await get(`workspaces/${client.workspaceId}/sales/opportunities?${filter}`);
      return (found as unknown as { id: number }[]).map(({ id }) => id);
    };
    expect(await list('')).toEqual([one.id, two.id]);
    expect(await list(`filter[pipelines_stage_id]=${second.id}`)).toEqual([two.id]);
    expect(await list(`filter[pipeline_id]=${one['pipeline_id']}`)).toEqual([one.id, two.id]);
    expect(await list(`filter[primary_contact_id]=${contactId}`)).toEqual([one.id, two.id]);
    expect(await list('filter[assignee_id]=1')).toEqual([]);
  });

  test('moves through stages, each move an event, and takes the pipeline of its stage', async () => {
    const [first, second] = stagesOf(await pipelineOf());
    const other = await pipelineOf({ name: 'Schools' });
    const { id } = await opportunityIn(first);
    const move = (to: { id: number }) =>
      change(`sales/opportunities/${id}`, { sales_opportunity: { pipelines_stage_id: to.id } });
    await move(second);
    await move(second);
    expect(await move(stagesOf(other)[0])).toMatchObject({ pipeline_id: String(other.id) });
    expect(await eventsOf(id)).toEqual(['created', 'updated', 'moved_stage', 'updated', 'moved_stage']);
    const nowhere = { sales_opportunity: { pipelines_stage_id: 999_999_999 } };
    expect(await client.refused(422, 'PATCH', `/api/v2/sales/opportunities/${id}`, nowhere)).toEqual([
      'pipelines_stage_id',
    ]);
  });

  test('is won, lost and reopened by one table, and its closing is an event once', async () => {
    const [stage] = stagesOf(await pipelineOf());
    const { id } = await opportunityIn(stage);
    const act = (action: string, body?: object) =>
      client.send('POST', `/api/v2/sales/opportunities/${id}/${action}?expand[]=status`, body);
    const status = async () => (await get(`sales/opportunities/${id}?expand[]=status`))['status'];
    expect((await act('reopen')).status).toBe(200);
    expect(
      (await act('win', { sales_opportunity: { closed_at: '2026-03-01T10:00:00Z' } })).body,
    ).toMatchObject({
      closed_at: '2026-03-01T10:00:00.000Z',
    });
    expect(await status()).toBe('won');
    expect((await act('win')).status).toBe(200);
    const refused = await act('lose');
    expect([refused.status, refused.body['detail']]).toEqual([
      409,
      'status cannot change from won to lost. It can become open.',
    ]);
    await act('reopen');
    expect(await get(`sales/opportunities/${id}`)).toMatchObject({ closed_at: null });
    await act('lose');
    expect(await status()).toBe('lost');
    // The public API knows the time alone.
    const time = (closed_at: string | null) =>
      change(`sales/opportunities/${id}`, { sales_opportunity: { closed_at } });
    await time('2026-04-01T10:00:00Z');
    expect(await status()).toBe('lost');
    await time(null);
    expect(await status()).toBe('open');
    await time('2026-05-01T10:00:00Z');
    expect(await status()).toBe('closed');
    await act('win');
    expect(await status()).toBe('won');
    const events = await eventsOf(id);
    expect(events.filter((event) => event === 'closed')).toHaveLength(1);
    expect(events).toEqual([
      'created',
      ...['updated', 'closed'],
      ...Array.from({ length: 6 }, () => 'updated'),
    ]);
  });

  test('that is created closed has its event at once', async () => {
    const [stage] = stagesOf(await pipelineOf());
    const { id } = await opportunityIn(stage, { closed_at: '2026-01-01T00:00:00Z' });
    await change(`sales/opportunities/${id}`, { sales_opportunity: { closed_at: null } });
    await send(200, 'POST', `sales/opportunities/${id}/win`);
    expect(await eventsOf(id)).toEqual(['created', 'closed', 'updated', 'updated']);
  });

  test('has a contact of the workspace, and a user of the team', async () => {
    const [stage] = stagesOf(await pipelineOf());
    const stranger = await factories.contact(app);
    const opportunities = `/api/v2/workspaces/${client.workspaceId}/sales/opportunities`;
    const good = { name: 'X', pipelines_stage_id: stage.id, primary_contact_id: Number(contactId) };
    const refused = (members: object) =>
      client.refused(422, 'POST', opportunities, { sales_opportunity: { ...good, ...members } });
    expect(await refused({ primary_contact_id: Number(stranger.id) })).toEqual(['primary_contact_id']);
    const other = await createRestClient(gateway);
    const { id: otherUser } = (await other.send('GET', '/api/v2/me')).body;
    expect(await refused({ assignee_id: otherUser })).toEqual(['assignee_id']);
    const { id: own } = (await client.send('GET', '/api/v2/me')).body;
    const opportunity = await opportunityIn(stage, { assignee_id: own });
    expect(opportunity).toMatchObject({ assignee_id: String(own) });
    const notes = `/api/v2/sales/opportunities/${opportunity.id}/notes`;
    const note = { sales_opportunities_note: { content: 'x', created_by_id: otherUser } };
    expect(await client.refused(422, 'POST', notes, note)).toEqual(['created_by_id']);
    const mine = await created(notes.slice('/api/v2/'.length), {
      sales_opportunities_note: { content: 'x' },
    });
    expect(mine).toMatchObject({ created_by_id: own, opportunity_id: opportunity.id });
    const cleared = { sales_opportunities_note: { created_by_id: null } };
    expect(await change(`sales/opportunities/notes/${mine.id}`, cleared)).toMatchObject({
      created_by_id: null,
    });
  });

  test('is blanked with its notes when its contact is erased, and keeps its value', async () => {
    const pipeline = await pipelineOf();
    const [stage] = stagesOf(pipeline);
    const other = await factories.contact(app, { workspaceId: BigInt(client.workspaceId) });
    const kept = await opportunityIn(stage, { value: 7, name: 'Kept' });
    const gone = await opportunityIn(stage, { value: 5, name: 'Gone' });
    for (const { id } of [kept, gone])
      await created(`sales/opportunities/${id}/notes`, { sales_opportunities_note: { content: 'Secret' } });
    await change(`sales/opportunities/${kept.id}`, {
      sales_opportunity: { primary_contact_id: Number(other.id) },
    });
    expect((await client.send('DELETE', `/api/v2/contacts/${contactId}/gdpr_destroy`)).status).toBeLessThan(
      300,
    );
    expect(await get(`sales/opportunities/${gone.id}`)).toMatchObject({
      name: '',
      value: 5,
      notes: [{ content: '' }],
    });
    expect(await get(`sales/opportunities/${kept.id}`)).toMatchObject({
      name: 'Kept',
      notes: [{ content: 'Secret' }],
    });
    expect(await get(`sales/pipelines/${pipeline.id}`)).toMatchObject({ total_value: 12 });
  });
});

test('GraphQL leads from a pipeline to its stages and opportunities, and from a contact to its own', async () => {
  const pipeline = await pipelineOf({ currency: 'EUR' });
  const [stage] = stagesOf(pipeline);
  const graphql = async (query: string, variables: object = {}) => {
    const { data, errors } = await post(gateway, { query, variables }, { caller: client.caller });
    expect([query, errors]).toEqual([query, undefined]);
    return data as Record<string, unknown>;
  };
  const globalId = (type: string, id: number | bigint) => btoa(`${type}:${id}`);
  const input = {
    workspaceId: globalId('Workspace', BigInt(client.workspaceId)),
    name: 'Ropes',
    stageId: globalId('PipelineStage', stage.id),
    primaryContactId: globalId('Contact', contactId),
    value: { amount: '12.5', currency: 'EUR' },
  };
  const CREATE = `mutation ($input: CreateOpportunityInput!) { createOpportunity(input: $input) {
    opportunity { id name value { amount currency } status stage { totalValue { amount currency } weightedValue { amount } } }
    userErrors { code path } } }`;
  const { createOpportunity } = await graphql(CREATE, { input });
  expect(createOpportunity).toMatchObject({
    opportunity: {
      ...{ name: 'Ropes', value: { amount: '12.50', currency: 'EUR' }, status: 'OPEN' },
      stage: { totalValue: { amount: '12.50', currency: 'EUR' }, weightedValue: { amount: '1.25' } },
    },
    userErrors: [],
  });
  const { id } = (createOpportunity as { opportunity: { id: string } }).opportunity;
  const dollars = { ...input, value: { amount: '1', currency: 'USD' } };
  expect(await graphql(CREATE, { input: dollars })).toMatchObject({
    createOpportunity: {
      opportunity: null,
      userErrors: [{ code: 'NOT_ALLOWED', path: ['value', 'currency'] }],
    },
  });
  const UPDATE = `mutation ($input: UpdateOpportunityInput!) { updateOpportunity(input: $input) {
    opportunity { value { amount currency } } userErrors { code path } } }`;
  expect(
    await graphql(UPDATE, { input: { opportunityId: id, value: { amount: '20', currency: 'EUR' } } }),
  ).toMatchObject({ updateOpportunity: { opportunity: { value: { amount: '20.00', currency: 'EUR' } } } });
  const WIN = `mutation ($input: WinOpportunityInput!) { winOpportunity(input: $input) {
    opportunity { status closedAt } userErrors { code } } }`;
  expect(await graphql(WIN, { input: { opportunityId: id } })).toMatchObject({
    winOpportunity: { opportunity: { status: 'WON', closedAt: expect.any(String) }, userErrors: [] },
  });
  await graphql(
    `mutation ($input: CreateOpportunityNoteInput!) { createOpportunityNote(input: $input) { opportunityNote { createdBy { id } } } }`,
    { input: { opportunityId: id, content: 'Signed.' } },
  );
  const shown = await graphql(
    `query ($workspace: ID!, $contact: BigInt!) {
      workspace(by: { id: $workspace }) { pipelines(first: 2) { nodes { totalValue { amount } stages(first: 3, orderBy: { field: POSITION }) { nodes {
        name position closeProbability opportunities(first: 3, filter: { statuses: [WON] }) { totalCount nodes { name assignee { id } notes(first: 2) { nodes { content createdBy { emailAddress } } } } } } } } } }
      contact(by: { databaseId: $contact }) { opportunities(first: 2) { nodes { name pipeline { name } primaryContact { id } } } }
    }`,
    { workspace: input.workspaceId, contact: Number(contactId) },
  );
  expect(shown).toMatchObject({
    workspace: {
      pipelines: {
        nodes: [
          {
            totalValue: { amount: '20.00' },
            stages: {
              nodes: [
                {
                  name: 'New',
                  opportunities: {
                    totalCount: 1,
                    nodes: [
                      {
                        name: 'Ropes',
                        assignee: null,
                        notes: { nodes: [{ content: 'Signed.', createdBy: {} }] },
                      },
                    ],
                  },
                },
                { name: 'Offer', opportunities: { totalCount: 0 } },
              ],
            },
          },
        ],
      },
    },
    contact: { opportunities: { nodes: [{ name: 'Ropes', pipeline: { name: 'Shops' } }] } },
  });
});
