// A conditional split chooses the branch of a contact by its saved filter, and a funnel the pages that the contact sees.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { expectProblem } from '../support/problem.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const client = await createRestClient(gateway);
const { app } = gateway;
const { workspaceId, teamId, caller } = client;

const customer = await client.tag('Customer');
const filter = async (criteria: object[]) =>
  (
    await client.send('POST', `/api/v2/workspaces/${workspaceId}/refine_filters`, {
      refine_filter: { criteria },
    })
  ).body.id;
const customers = await filter([{ attribute: 'tags.id', clause: 'in', value: [customer] }]);
const anns = await filter([
  { attribute: 'email_address', clause: 'sw', value: 'ANN' },
  { attribute: 'created_at', clause: 'lt', value: { days: 1, modifier: 'ago' } },
]);
const old = await factories.refineFilter(app, {
  workspaceId,
  criteria: [{ attribute: 'shoe_size', clause: 'eq', value: 'x' }],
});

const funnel = await factories.funnel(app, { workspaceId });
const steps = await factories.workflow(app, funnel, [
  'Entry',
  {
    split: 'Customers',
    matched: ['Upsell', { split: 'Anns', matched: ['For Ann'], unmatched: ['For others'] }],
    unmatched: ['Offer', { split: 'Open', matched: ['Nobody'], unmatched: ['Everybody'] }],
  },
  { split: 'Old', matched: ['Matched'], unmatched: ['Unmatched'] },
  'Thanks',
]);
const idOf = (split: string) => steps.get(split)?.id ?? 0n;
for (const [split, filterId] of [
  ['Customers', customers],
  ['Anns', anns],
  ['Old', old.id],
] as const)
  await app.store.pool.query('update funnel_steps set filter_id = $1 where workspace_id = $2 and id = $3', [
    ...[filterId, workspaceId, idOf(split)],
  ]);

const contact = async (email: string, tags: number[]) =>
  (await client.send('POST', client.contacts, { contact: { email_address: email, tag_ids: tags } })).body;
const ann = await contact('Ann@example.com', [customer]);
const bob = await contact('bob@example.com', [customer]);
const cy = await contact('cy@example.com', []);

const branch = (split: string, contactId: unknown, of = funnel.id) =>
  client.send(
    'GET',
    `/api/v2/funnels/${of}/conditional_split_steps/${idOf(split)}/branch?contact_id=${contactId}`,
  );

test('a filter matches a contact if it selects it in a list; without one the contact is unmatched, and the answer says why', async () => {
  for (const [split, { id, public_id }, answer] of [
    ['Customers', ann, { branch: 'matched' }],
    ['Customers', cy, { branch: 'unmatched' }],
    ['Anns', ann, { branch: 'matched' }],
    ['Anns', bob, { branch: 'unmatched' }],
    ['Open', ann, { branch: 'unmatched', reason: 'not_set_up' }],
    ['Old', ann, { branch: 'unmatched', reason: 'filter_not_applicable' }],
  ] as const)
    for (const contactId of [id, public_id]) {
      const { status, body } = await branch(split, contactId);
      expect([split, status, body]).toEqual([split, 200, answer]);
    }
});

test('the answer follows the contact and the filter at once', async () => {
  await client.send('PUT', `/api/v2/contacts/${cy.id}`, { contact: { tag_ids: [customer] } });
  expect((await branch('Customers', cy.id)).body).toEqual({ branch: 'matched' });
  await client.send('PUT', `/api/v2/contacts/${cy.id}`, { contact: { tag_ids: [] } });
  expect((await branch('Customers', cy.id)).body).toEqual({ branch: 'unmatched' });
});

test('the contact must exist in the workspace, and the split in the funnel', async () => {
  const { id: neighbour } = await factories.workspace(app, { teamId });
  const other = await factories.contact(app, { workspaceId: neighbour });
  const elsewhere = await factories.contact(app);
  for (const id of [other.id, elsewhere.id, 999_999_999, 'x'])
    expect((await branch('Customers', id)).status).toBe(404);
  const { id: of } = await factories.funnel(app, { workspaceId });
  expect((await branch('Customers', ann.id, of)).status).toBe(404);
  expect(
    await client.refused(
      422,
      'GET',
      `/api/v2/funnels/${funnel.id}/conditional_split_steps/${idOf('Open')}/branch`,
    ),
  ).toEqual(['contact_id']);
});

test('a decision needs the scopes to read funnels and to read contacts', async () => {
  const path = `/api/v2/funnels/${funnel.id}/conditional_split_steps/${idOf('Customers')}/branch?contact_id=${ann.id}`;
  for (const [has, lacks] of [
    ['funnels:read', 'contacts:read'],
    ['contacts:read', 'funnels:read'],
  ] as const) {
    const weak = await factories.apiKey(app, { teamId, scopes: [has] });
    const { detail } = await expectProblem(await gateway.send(path, { caller: weak }), 'insufficient_scope');
    expect(detail).toContain(lacks);
  }
});

test('over GraphQL splits have the contact’s branch, and a funnel the contact’s pages, through nested splits', async () => {
  const query = `query ($funnel: BigInt!, $contact: ID!) {
    funnel(by: { databaseId: $funnel }) {
      pagesFor(contactId: $contact) { name }
      conditionalSplits { nodes { name branchFor(contactId: $contact) { branch reason } } }
    }
  }`;
  interface Answer {
    readonly funnel: {
      readonly pagesFor: readonly { readonly name: string }[];
      readonly conditionalSplits: {
        readonly nodes: readonly { readonly name: string; readonly branchFor: object }[];
      };
    };
  }
  const asked = async ({ id }: { id: number }) => {
    const variables = { funnel: String(funnel.id), contact: btoa(`Contact:${id}`) };
    const { data, errors } = await post<Answer>(gateway, { query, variables }, { caller });
    expect(errors).toBeUndefined();
    return data?.funnel;
  };
  const pathOf = async (one: { id: number }) => (await asked(one))?.pagesFor.map(({ name }) => name);
  expect(await pathOf(ann)).toEqual(['Entry', 'Upsell', 'For Ann', 'Unmatched', 'Thanks']);
  expect(await pathOf(bob)).toEqual(['Entry', 'Upsell', 'For others', 'Unmatched', 'Thanks']);
  expect(await pathOf(cy)).toEqual(['Entry', 'Offer', 'Everybody', 'Unmatched', 'Thanks']);
  const { nodes = [] } = (await asked(ann))?.conditionalSplits ?? {};
  expect(Object.fromEntries(nodes.map(({ name, branchFor }) => [name, branchFor]))).toEqual({
    Customers: { branch: 'MATCHED', reason: null },
    Anns: { branch: 'MATCHED', reason: null },
    Open: { branch: 'UNMATCHED', reason: 'NOT_SET_UP' },
    Old: { branch: 'UNMATCHED', reason: 'FILTER_NOT_APPLICABLE' },
  });
  const foreign = await factories.contact(app);
  const variables = { funnel: String(funnel.id), contact: btoa(`Contact:${foreign.id}`) };
  const { data, errors } = await post<Answer>(gateway, { query, variables }, { caller });
  expect(data?.funnel.pagesFor).toBeNull();
  expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(['NOT_FOUND']));
});

test('decisions for many contacts need no more statements than for one, and long work queues', async () => {
  const heavy = await filter(
    Array.from({ length: 50 }, () => ({ attribute: 'email_address', clause: 'sw', value: 'a' })),
  );
  const { id: wide } = await factories.funnel(app, { workspaceId });
  const splits = `/api/v2/funnels/${wide}/conditional_split_steps`;
  const { body } = await client.send('GET', `/api/v2/refine_filters/${heavy}`);
  const made = await client.send('POST', splits, { condition: { filter_id: body['public_id'] } });
  expect(made.status).toBe(201);
  const ask = async (contacts: readonly { id: number }[], field: string) => {
    const each = contacts.map(({ id }, index) =>
      field.replace('*', `a${index}: `).replace('?', btoa(`Contact:${id}`)),
    );
    const { errors } = await post(
      gateway,
      { query: `{ funnel(by: { databaseId: ${wide} }) { ${each.join(' ')} } }` },
      { caller },
    );
    expect(errors).toBeUndefined();
  };
  const path = '*pagesFor(contactId: "?") { name }';
  const branch = '*conditionalSplits { nodes { branchFor(contactId: "?") { branch } } }';
  const queued: string[] = [];
  const { scans } = app.store;
  const { read } = scans;
  const isDecision = (name: string) => name.includes('contacts.matches');
  scans.read = (statement, ...others) => {
    if (isDecision(statement.name)) queued.push(statement.name);
    return read.call(scans, statement, ...others);
  };
  try {
    for (const field of [path, branch]) {
      expect((await statementsOf(gateway, () => ask([ann], field))).filter(isDecision)).toHaveLength(1);
      expect(queued.splice(0)).toHaveLength(0);
      expect((await statementsOf(gateway, () => ask([ann, bob, cy], field))).filter(isDecision)).toHaveLength(
        1,
      );
      expect(queued.splice(0)).toHaveLength(1);
    }
  } finally {
    scans.read = read;
  }
});

test('the paths through many funnels are found together: no more statements than for one', async () => {
  const { id } = await factories.workspace(app, { teamId });
  const { body } = await client.send('POST', `/api/v2/workspaces/${id}/contacts`, {
    contact: { email_address: 'dee@example.com' },
  });
  const chosen = await client.send('POST', `/api/v2/workspaces/${id}/refine_filters`, {
    refine_filter: { criteria: [{ attribute: 'email_address', clause: 'sw', value: 'dee' }] },
  });
  for (const name of ['One', 'Two', 'Three']) {
    const { id: of } = await factories.funnel(app, { workspaceId: id });
    const page = await factories.page(app, id, name);
    const split = await client.send('POST', `/api/v2/funnels/${of}/conditional_split_steps`, {
      condition: { filter_id: chosen.body['public_id'] },
      branches: [{ page_id: Number(page.id) }],
    });
    expect(split.status).toBe(201);
  }
  const ask = async (first: number, paths: string[]) => {
    const path = `pagesFor(contactId: "${btoa(`Contact:${body.id}`)}") { name }`;
    const query = `{ workspace(by: { databaseId: ${id} }) { funnels(first: ${first}) { nodes { ${path} } } } }`;
    let data: unknown;
    const names = await statementsOf(gateway, async () => {
      ({ data } = await post(gateway, { query }, { caller }));
    });
    const nodes = paths.map((name) => ({ pagesFor: [{ name }] }));
    expect(data).toEqual({ workspace: { funnels: { nodes } } });
    return names.length;
  };
  expect(await ask(3, ['One', 'Two', 'Three'])).toBe(await ask(1, ['One']));
});
