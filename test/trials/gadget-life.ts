// The life of the recipe's made-up noun over both faces of a running gateway with its demo data: each step says what it expects.
import { isDeepStrictEqual } from 'node:util';

/** What is looked into of the answers: the rest is compared whole. */
interface Answer<Body> {
  readonly status: number;
  readonly tag: string;
  readonly body: Body;
}

interface Gadget {
  readonly id: number;
  readonly public_id: string;
  readonly name: string;
  readonly sku: string | null;
  readonly description: string | null;
  readonly visible: boolean;
  readonly updated_at: string;
}

interface Problem {
  readonly code: string;
  readonly errors?: readonly { readonly field: string }[];
}

interface GraphqlAnswer {
  readonly data?: { readonly createGadget?: { readonly gadget: { readonly id: string } } };
  readonly errors?: readonly { readonly extensions: { readonly field?: string } }[];
}

/** Leads gadgets of the demo's first workspace through their life. @throws Error naming the first step that is not as it should be */
export async function leadGadgets(origin: string, key: string): Promise<void> {
  async function send<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(origin + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      tag: response.headers.get('ETag') ?? '',
      body: (text === '' ? null : JSON.parse(text)) as Body,
    };
  }
  const rest = (method: string, path: string, body?: unknown, headers = {}) =>
    send<Gadget & Problem>(method, `/api/v2${path}`, body, headers);
  const run = async (query: string) => (await send<GraphqlAnswer>('POST', '/graphql', { query })).body;
  function expect(step: string, found: unknown, wanted: unknown): void {
    if (!isDeepStrictEqual(found, wanted))
      throw new Error(`${step}: ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`);
  }
  const codesOf = ({ status, body }: Answer<Problem>) => [status, body.code, body.errors?.[0]?.field];
  const workspace = await rest('GET', '/workspaces/1');
  const workspaceId = btoa(`Workspace:${workspace.body.id}`);
  const gadgets = '/workspaces/1/gadgets';

  const retry = { 'Idempotency-Key': 'the-first-gadget' };
  const first = { gadget: { name: 'Mug', sku: 'M-1', description: 'Holds tea.', visible: false } };
  const made = await rest('POST', gadgets, first, retry);
  const { name, sku, description, visible } = made.body;
  expect('created', [made.status, name, sku, description, visible], [201, 'Mug', 'M-1', 'Holds tea.', false]);
  expect('created again with its key', await rest('POST', gadgets, first, retry), made);
  expect('its key for another', codesOf(await rest('POST', gadgets, { name: 'Other' }, retry)), [
    ...[422, 'invalid', 'Idempotency-Key'],
  ]);
  const refused = async (body: object) => codesOf(await rest('POST', gadgets, body));
  expect('without a name', await refused({ sku: 'M-2' }), [422, 'invalid', 'name']);
  expect('too long', await refused({ name: 'x'.repeat(256) }), [422, 'invalid', 'name']);
  expect('a taken unit', await refused({ name: 'Cup', sku: 'M-1' }), [422, 'invalid', 'sku']);
  expect('of nobody', codesOf(await rest('POST', '/workspaces/999999/gadgets', { name: 'x' })), [
    ...[404, 'not_found', undefined],
  ]);
  const plain = await rest('POST', gadgets, { name: 'Plate' });
  expect('the defaults', [plain.body.visible, plain.body.sku, plain.body.description], [true, null, null]);

  const gadget = `/gadgets/${made.body.id}`;
  const read = await rest('GET', gadget);
  expect('read', [read.body, read.tag], [made.body, made.tag]);
  expect('by its public id', (await rest('GET', `/gadgets/${made.body.public_id}`)).body, made.body);
  expect('not changed', (await rest('GET', gadget, undefined, { 'If-None-Match': made.tag })).status, 304);
  expect('listed', (await rest('GET', gadgets)).body, [made.body, plain.body]);
  expect('the visible', (await rest('GET', `${gadgets}?filter[visible]=true`)).body, [plain.body]);
  expect('by its unit', (await rest('GET', `${gadgets}?filter[sku]=M-1,x`)).body, [made.body]);
  expect('after the first', (await rest('GET', `${gadgets}?after=${made.body.id}`)).body, [plain.body]);

  const changed = await rest('PATCH', gadget, { gadget: { visible: true } }, { 'If-Match': made.tag });
  expect('changed', [changed.status, changed.body.visible, changed.body.name], [200, true, 'Mug']);
  const byTime = await rest('GET', `${gadgets}?sort_property=updated_at&sort_order=desc`);
  expect('in the order of changes', byTime.body, [changed.body, plain.body]);
  expect('changed since', codesOf(await rest('PUT', gadget, { name: 'x' }, { 'If-Match': made.tag })), [
    ...[412, 'precondition_failed', undefined],
  ]);
  expect('null', codesOf(await rest('PUT', gadget, { name: null })), [422, 'invalid', 'name']);
  expect('cleared', (await rest('PUT', gadget, { sku: null })).body.sku, null);
  expect('deleted', (await rest('DELETE', gadget)).status, 204);
  expect('gone', codesOf(await rest('GET', gadget)), [404, 'not_found', undefined]);
  expect('deleted before', codesOf(await rest('DELETE', gadget)), [404, 'not_found', undefined]);

  const created = await run(
    `mutation { createGadget(input: { workspaceId: "${workspaceId}", name: "Bowl", sku: "B-1", visible: false, idempotencyKey: "g" }) { gadget { id name sku visible workspace { id } } } }`,
  );
  const id = created.data?.createGadget?.gadget.id ?? '';
  const shown = { id, name: 'Bowl', sku: 'B-1', visible: false, workspace: { id: workspaceId } };
  expect('createGadget', created, { data: { createGadget: { gadget: shown } } });
  expect(
    'Workspace.gadgets',
    await run(
      `{ workspace(id: "${workspaceId}") { gadgets(filter: { visible: false }) { totalCount nodes { id } } } }`,
    ),
    { data: { workspace: { gadgets: { totalCount: 1, nodes: [{ id }] } } } },
  );
  expect(
    'updateGadget',
    await run(
      `mutation { updateGadget(input: { gadgetId: "${id}", name: "Deep bowl" }) { gadget { name sku } } }`,
    ),
    { data: { updateGadget: { gadget: { name: 'Deep bowl', sku: 'B-1' } } } },
  );
  const blamed = await run(
    `mutation { updateGadget(input: { gadgetId: "${id}", name: null }) { gadget { name } } }`,
  );
  expect('null over GraphQL', blamed.errors?.[0]?.extensions.field, 'name');
  expect('gadget', await run(`{ gadget(id: "${id}") { name } }`), {
    data: { gadget: { name: 'Deep bowl' } },
  });
  expect(
    'deleteGadget',
    await run(`mutation { deleteGadget(input: { gadgetId: "${id}" }) { deletedGadgetId } }`),
    { data: { deleteGadget: { deletedGadgetId: id } } },
  );
  expect('gone over GraphQL', (await run(`{ node(id: "${id}") { id } }`)).data, { node: null });
  expect('still there', (await rest('GET', gadgets)).body, [plain.body]);

  interface Named {
    readonly event_type_id: string;
    readonly action: string;
  }
  const namesOf = async (path: string, property: keyof Named) =>
    (await send<Named[]>('GET', `/api/v2/workspaces/1/${path}?sort_order=desc&per_page=8`)).body
      .map((row) => row[property])
      .filter((what) => what.startsWith('gadget.'))
      .toReversed();
  const happened = ['created', 'created', 'updated', 'updated', 'deleted', 'created', 'updated', 'deleted'];
  const names = happened.map((what) => `gadget.${what}`);
  expect('its events', await namesOf('webhooks/outgoing/events', 'event_type_id'), names);
  expect('its audit entries', await namesOf('audit_entries', 'action'), names);
}
