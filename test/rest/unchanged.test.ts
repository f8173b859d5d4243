// A change of an object to its present state: it gets an ordinary answer, and only the idempotency key is stored.
import { beforeEach, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';
import { build } from '../support/removals.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;
const gateway = await sharedGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
  await factories.webhookEndpoint(gateway.app, { workspaceId: client.workspaceId, eventTypeIds: [] });
});

const member = (id: number) => `/api/v2/contacts/${id}`;
const key = (value = 'a-key') => ({ 'Idempotency-Key': value });

/** How many rows the workspace has that a change may leave. */
async function kept(): Promise<Record<string, number>> {
  const prisma = prismaOf(gateway.app.store);
  const where = { workspaceId: client.workspaceId };
  const [entries, events, deliveries, records] = await Promise.all([
    prisma.auditEntry.count({ where }),
    prisma.event.count({ where }),
    prisma.webhookDelivery.count({ where }),
    prisma.idempotencyRecord.count({ where }),
  ]);
  return { entries, events, deliveries, records };
}

test('a contact that is changed to its present values keeps its version, its time and its tags', async () => {
  const tagId = await client.tag('a');
  const given = { first_name: 'Ann', custom_attributes: { a: '1', b: '2' }, tag_ids: [tagId] };
  const made = await client.create({ email_address: 'ann@example.com', ...given });
  const before = await kept();
  for (const [method, path, body] of [
    ['PATCH', member(made.body.id), { first_name: 'Ann' }],
    ['PUT', member(made.body.id), { email_address: 'ann@example.com', ...given }],
    ['PATCH', member(made.body.id), { custom_attributes: { b: '2' } }],
    ['PATCH', member(made.body.id), { tag_ids: [tagId] }],
    ['POST', `${client.contacts}/upsert`, { email_address: 'ann@example.com', ...given }],
  ] as const) {
    const answer = await client.send(method, path, body);
    expect([answer.status, answer.text, answer.tag]).toEqual([200, made.text, made.tag]);
  }
  expect(await kept()).toEqual(before);
  const other = await client.send('PATCH', member(made.body.id), { tag_ids: [] });
  expect(other.body.tags).toEqual([]);
  const changed = await client.send('PATCH', member(made.body.id), { first_name: 'Ann', last_name: 'B' });
  expect(changed.body['last_name']).toBe('B');
  const now = await kept();
  expect([Number(now['entries']) - Number(before['entries'])]).toEqual([2]);
});

test('a tag and a webhook endpoint keep them too, also one that is activated or deactivated already', async () => {
  const tagId = await client.tag('a');
  const made = await client.send(
    'POST',
    `/api/v2/workspaces/${client.workspaceId}/webhooks/outgoing/endpoints`,
    {
      ...{ url: 'https://hooks.example.com/in', name: 'CRM', event_type_ids: ['contact.created'] },
    },
  );
  const endpoint = `/api/v2/webhooks/outgoing/endpoints/${made.body.id}`;
  const before = await kept();
  expect((await client.send('PUT', `/api/v2/contacts/tags/${tagId}`, { name: 'a' })).status).toBe(200);
  expect((await client.send('PATCH', endpoint, { name: 'CRM' })).body['updated_at']).toBe(
    made.body['updated_at'],
  );
  expect((await client.send('POST', `${endpoint}/activate`)).body['updated_at']).toBe(
    made.body['updated_at'],
  );
  expect(await kept()).toEqual(before);
  const off = await client.send('POST', `${endpoint}/deactivate`);
  const then = await kept();
  expect((await client.send('POST', `${endpoint}/deactivate`)).text).toBe(off.text);
  expect(await kept()).toEqual(then);
  const paced = await client.send('POST', `${endpoint}/activate`, { max_deliveries_per_second: 2 });
  expect(paced.body).toMatchObject({ deactivated_at: null, max_deliveries_per_second: 2 });
});

test('a credential that sets an endpoint’s present URL becomes its subscriber', async () => {
  const made = await client.send(
    'POST',
    `/api/v2/workspaces/${client.workspaceId}/webhooks/outgoing/endpoints`,
    {
      ...{ url: 'https://hooks.example.com/in', name: 'CRM', event_type_ids: ['contact.created'] },
    },
  );
  const other = await factories.apiKey(gateway.app, { teamId: client.teamId });
  const path = `/api/v2/webhooks/outgoing/endpoints/${made.body.id}`;
  const { status } = await gateway.send(path, {
    ...{ caller: other, method: 'PATCH', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ url: 'https://hooks.example.com/in' }),
  });
  expect(status).toBe(200);
  const prisma = prismaOf(gateway.app.store);
  const { publicId } = await prisma.apiKey.findUniqueOrThrow({ where: { id: other.id } });
  const row = await prisma.webhookEndpoint.findFirstOrThrow({ where: { id: BigInt(made.body.id) } });
  expect(row.actorId).toBe(publicId);
});

test('a retry with the same key gets the first answer, whatever has happened since', async () => {
  const made = await client.create({ first_name: 'Ann' });
  const before = await kept();
  const change = () => client.send('PATCH', member(made.body.id), { first_name: 'Ann' }, key());
  expect((await change()).text).toBe(made.text);
  expect(await kept()).toEqual({ ...before, records: Number(before['records']) + 1 });
  expect((await change()).text).toBe(made.text);
  await client.send('PATCH', member(made.body.id), { first_name: 'Bea' });
  await client.send('PATCH', member(made.body.id), { first_name: 'Cleo' });
  expect((await change()).text).toBe(made.text);
  expect((await client.send('GET', member(made.body.id))).body['first_name']).toBe('Cleo');
  await client.send('DELETE', member(made.body.id));
  expect((await change()).text).toBe(made.text);
  await client.refused(422, 'PATCH', member(made.body.id), { first_name: 'Dora' }, key());
  await client.send('DELETE', `${member(made.body.id)}/gdpr_destroy`);
  await client.refused(410, 'PATCH', member(made.body.id), { first_name: 'Ann' }, key());
});

test('ten concurrent requests with one key all get this answer', async () => {
  const made = await client.create({ first_name: 'Ann' });
  const before = await kept();
  const change = () => client.send('PATCH', member(made.body.id), { first_name: 'Ann' }, key());
  const answers = await Promise.all(Array.from({ length: 10 }, change));
  expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(10).fill([200, made.text]));
  expect(await kept()).toEqual({ ...before, records: Number(before['records']) + 1 });
});

/** A funnel with a split and a split test, and what changes them to what they are. */
async function madeFunnel() {
  const plan = ['Entry', { split: 'Split', matched: ['M'], unmatched: ['U'] }, 'End'];
  const { funnel, step } = await build(gateway, client.workspaceId, plan);
  const path = `/api/v2/funnels/${funnel.id}`;
  const free = await factories.page(gateway.app, client.workspaceId, 'Free');
  const test = await client.send('POST', `${path}/split_test_steps`, {
    variants: [{ page_id: Number(step('End').pageId) }, { page_id: Number(free.id) }],
  });
  expect(test.status).toBe(201);
  const matched = Number(step('M').pageId);
  const changes: readonly (readonly [path: string, body: object])[] = [
    [`conditional_split_steps/${step('Split').id}`, {}],
    [`conditional_split_steps/${step('Split').id}`, { condition: { filter_id: null } }],
    [`conditional_split_steps/${step('Split').id}`, { branches: [{ page_id: matched }, {}] }],
    [`split_test_steps/${test.body.id}`, { variants: [{ weight: 50 }, { page_id: Number(free.id) }] }],
  ];
  return { funnel, path, step, test, changes };
}

test('a funnel whose steps keep their values is unchanged too', async () => {
  const { path, step, test, changes } = await madeFunnel();
  const tag = async () => (await client.send('GET', path)).tag;
  const before = [await kept(), await tag()];
  for (const [at, body] of changes) {
    const shown = await client.send('GET', `${path}/${at}`);
    const { status, text } = await client.send('PATCH', `${path}/${at}`, body);
    expect([at, status, text]).toEqual([at, 200, shown.text]);
  }
  const [split, entry] = [btoa(`ConditionalSplit:${step('Split').id}`), btoa(`PageStep:${step('Entry').id}`)];
  const top = [entry, split, btoa(`SplitTest:${test.body.id}`)];
  for (const [name, input, found] of [
    ['moveStep', { stepId: split, place: { onTopLevel: { position: 1 } } }, split],
    ['moveStep', { stepId: split, place: { after: entry } }, split],
    ['renameStep', { stepId: entry, name: 'Entry' }, entry],
    ['reorderSteps', { stepIds: top }, entry],
  ] as const) {
    const step = name === 'reorderSteps' ? 'steps { id }' : 'step { id }';
    const query = `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) {
      ${name}(input: $input) { ${step} } }`;
    const variables = { input };
    const { data } = await post(gateway, { query, variables }, { caller: client.caller });
    const steps = top.map((id) => ({ id }));
    const shown = name === 'reorderSteps' ? { steps } : { step: { id: found } };
    expect(data?.[name]).toMatchObject(shown);
  }
  expect([await kept(), await tag()]).toEqual(before);
});

test('a retry of a change that kept a step returns the same step, whatever has happened to the funnel since', async () => {
  const { funnel, path, step, changes } = await madeFunnel();
  const before = await kept();
  const [[at, body] = ['', {}]] = changes;
  const change = () => client.send('PATCH', `${path}/${at}`, body, key());
  const first = await change();
  expect(await kept()).toEqual({ ...before, records: Number(before['records']) + 1 });
  expect((await change()).text).toBe(first.text);
  await client.send('PUT', path, { name: 'Other' });
  expect((await change()).body.id).toBe(Number(step('Split').id));
  await client.send('POST', `${path}/conditional_split_steps`, {});
  expect((await change()).body).toMatchObject({ id: Number(step('Split').id), funnel_id: Number(funnel.id) });
  await client.send('DELETE', `${path}/${at}`);
  await client.refused(410, 'PATCH', `${path}/${at}`, body, key());
});
