// The life of the recipe's made-up nouns over both faces of a running gateway with its demo data: each step says what it expects.
import { isDeepStrictEqual } from 'node:util';

/** What is looked into of the answers: the rest is compared whole. */
interface Answer<Body> {
  readonly status: number;
  readonly tag: string;
  readonly body: Body;
}

interface Part {
  readonly id: number;
  readonly label: string;
  readonly sort_order: number;
}

interface Gadget {
  readonly id: number;
  readonly public_id: string;
  readonly sku: string;
  readonly description: string | null;
  readonly visible: boolean;
  readonly image_id: number | null;
  readonly parts: readonly Part[];
  readonly archived: boolean;
  readonly archived_at: string | null;
  readonly updated_at: string;
}

interface Problem {
  readonly code: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly field: string }[];
}

interface GraphqlAnswer {
  readonly data?: {
    readonly createGadget?: {
      readonly gadget: { readonly id: string; readonly parts: readonly { readonly id: string }[] };
    };
    readonly updateGadget?: { readonly userErrors?: readonly { readonly path: readonly string[] }[] };
  };
}

/** Leads gadgets of the demo's first workspace through their life. @throws Error naming the first step that is not as it should be */
export async function leadGadgets(origin: string, key: string): Promise<void> {
  let last = '';
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
    last = `${method} ${path} answered ${response.status} ${text.slice(0, 400)}`;
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
      throw new Error(
        `${step}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}. The last request: ${last}`,
      );
  }
  const codesOf = ({ status, body }: Answer<Problem | null>) => [
    ...[status, body?.code, body?.errors?.[0]?.field],
  ];
  const labelsOf = ({ parts }: Pick<Gadget, 'parts'>) => parts.map(({ label }) => label);
  const workspace = await rest('GET', '/workspaces/1');
  const workspaceId = btoa(`Workspace:${workspace.body.id}`);
  const gadgets = '/workspaces/1/gadgets';
  const seeded = await send<readonly Gadget[]>('GET', `/api/v2${gadgets}`);
  expect(
    "the demo's",
    seeded.body.map((one) => [one.sku, one.visible, labelsOf(one), one.image_id !== null]),
    [
      ['LEND-TENT', true, ['Poles', 'Pegs'], false],
      ['LEND-AXE', false, [], true],
    ],
  );
  for (const { id } of seeded.body)
    expect("one of the demo's is deleted", (await rest('DELETE', `/gadgets/${id}`)).status, 204);
  const newImage = async () => {
    const image = { upload_source_url: 'https://example.com/mug.png' };
    const made = await rest('POST', '/workspaces/1/images', { image });
    expect('an image', made.status, 201);
    return made.body.id;
  };
  const [picture, unused] = [await newImage(), await newImage()];

  const retry = { 'Idempotency-Key': 'the-first-gadget' };
  const parts_attributes = [{ label: 'Handle' }, { label: 'Body' }];
  const first = {
    gadget: { sku: 'M-1', description: 'Holds tea.', visible: false, image_id: picture, parts_attributes },
  };
  const made = await rest('POST', gadgets, first, retry);
  expect('created', codesOf(made), [201, undefined, undefined]);
  const { sku, description, visible, image_id, archived, archived_at } = made.body;
  expect(
    'its fields',
    [sku, description, visible, image_id, archived, archived_at],
    ['M-1', 'Holds tea.', false, picture, false, null],
  );
  expect('its parts', labelsOf(made.body), ['Handle', 'Body']);
  expect('created again with its key', await rest('POST', gadgets, first, retry), made);
  expect('its key for another', codesOf(await rest('POST', gadgets, { sku: 'Other' }, retry)), [
    ...[422, 'invalid', 'Idempotency-Key'],
  ]);
  const refused = async (body: object) => codesOf(await rest('POST', gadgets, body));
  expect('without a unit', await refused({ visible: true }), [422, 'invalid', 'sku']);
  expect('too long', await refused({ sku: 'x'.repeat(101) }), [422, 'invalid', 'sku']);
  expect('a taken unit', await refused({ sku: 'M-1' }), [422, 'invalid', 'sku']);
  expect('no such image', await refused({ sku: 'M-2', image_id: 999_999 }), [422, 'invalid', 'image_id']);
  expect('a part without a label', await refused({ sku: 'M-2', parts_attributes: [{}] }), [
    ...[422, 'invalid', 'parts_attributes[0].label'],
  ]);
  expect('of nobody', codesOf(await rest('POST', '/workspaces/999999/gadgets', { sku: 'x' })), [
    ...[404, 'not_found', undefined],
  ]);
  const plain = await rest('POST', gadgets, { sku: 'P-1' });
  expect(
    'the defaults',
    [plain.body.visible, plain.body.image_id, plain.body.description, plain.body.parts],
    [true, null, null, []],
  );

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
  expect('changed', [changed.status, changed.body.visible, changed.body.sku], [200, true, 'M-1']);
  const byTime = await rest('GET', `${gadgets}?sort_property=updated_at&sort_order=desc`);
  expect('in the order of changes', byTime.body, [changed.body, plain.body]);
  expect('changed since', codesOf(await rest('PUT', gadget, { sku: 'x' }, { 'If-Match': made.tag })), [
    ...[412, 'precondition_failed', undefined],
  ]);
  const kept = await rest('PUT', gadget, { sku: null });
  expect('null of what is never null', [kept.status, kept.body.sku], [200, 'M-1']);
  expect('cleared', (await rest('PUT', gadget, { description: null })).body.description, null);

  const [handle, body] = made.body.parts.map(({ id }) => id);
  const reordered = await rest('POST', `${gadget}/parts/reorder`, { ids_in_order: [body, handle] });
  expect('its parts in another order', reordered.status, 204);
  expect('shown in it', labelsOf((await rest('GET', gadget)).body), ['Body', 'Handle']);
  const edited = await rest('PATCH', gadget, {
    parts_attributes: [{ id: handle, _destroy: true }, { label: 'Lid' }],
  });
  expect('its parts changed', [edited.status, labelsOf(edited.body)], [200, ['Body', 'Lid']]);
  const added = await rest('POST', `${gadget}/parts`, { gadgets_part: { label: 'Spoon' } });
  expect('a part of its own', codesOf(added), [201, undefined, undefined]);
  expect('a part deleted', (await rest('DELETE', `/gadgets/parts/${added.body.id}`)).status, 204);

  const shelved = await rest('POST', `${gadget}/archive`);
  expect('archived', [shelved.status, shelved.body.archived], [200, true]);
  expect('the archived', (await rest('GET', `${gadgets}?filter[archived]=true`)).body, [shelved.body]);
  const back = await rest('POST', `${gadget}/unarchive`);
  expect('unarchived', [back.status, back.body.archived, back.body.archived_at], [200, false, null]);

  expect('an image that nothing shows', (await rest('DELETE', `/images/${unused}`)).status, 204);
  const shownStill = await rest('DELETE', `/images/${picture}`);
  expect(
    'its image',
    [shownStill.status, shownStill.body.detail],
    [409, `The image is used by the gadget ${made.body.public_id} and was not deleted.`],
  );
  expect('deleted', (await rest('DELETE', gadget)).status, 204);
  expect('gone', codesOf(await rest('GET', gadget)), [404, 'not_found', undefined]);
  expect('deleted before', codesOf(await rest('DELETE', gadget)), [404, 'not_found', undefined]);
  expect('its image afterwards', (await rest('DELETE', `/images/${picture}`)).status, 204);

  const imageId = btoa(`Image:${await newImage()}`);
  const created = await run(
    `mutation { createGadget(input: { workspaceId: "${workspaceId}", sku: "B-1", isVisible: false, imageId: "${imageId}", parts: [{ label: "Rim" }, { label: "Foot" }], idempotencyKey: "g" }) {
      gadget { id sku isVisible isArchived image { id } parts { id label position } workspace { id } } } }`,
  );
  const { id = '', parts = [] } = created.data?.createGadget?.gadget ?? {};
  const [rim = '', foot = ''] = parts.map((part) => part.id);
  const shown = {
    ...{ id, sku: 'B-1', isVisible: false, isArchived: false, image: { id: imageId } },
    parts: [
      { id: rim, label: 'Rim', position: 0 },
      { id: foot, label: 'Foot', position: 1 },
    ],
    workspace: { id: workspaceId },
  };
  expect('createGadget', created, { data: { createGadget: { gadget: shown } } });
  expect(
    'Workspace.gadgets',
    await run(
      `{ workspace(by: { id: "${workspaceId}" }) { gadgets(filter: { isVisible: false }) { totalCount nodes { id } } } }`,
    ),
    { data: { workspace: { gadgets: { totalCount: 1, nodes: [{ id }] } } } },
  );
  expect(
    'updateGadget',
    await run(
      `mutation { updateGadget(input: { gadgetId: "${id}", description: "Deep.", parts: [{ id: "${rim}", delete: true }, { label: "Lid" }] }) { gadget { sku description parts { label } } } }`,
    ),
    {
      data: {
        updateGadget: {
          gadget: { sku: 'B-1', description: 'Deep.', parts: [{ label: 'Foot' }, { label: 'Lid' }] },
        },
      },
    },
  );
  expect(
    'null over GraphQL',
    await run(`mutation { updateGadget(input: { gadgetId: "${id}", sku: null }) { gadget { sku } } }`),
    { data: { updateGadget: { gadget: { sku: 'B-1' } } } },
  );
  const blamed = await run(
    `mutation { updateGadget(input: { gadgetId: "${id}", sku: "P-1" }) { userErrors { path } } }`,
  );
  expect('taken over GraphQL', blamed.data?.updateGadget?.userErrors, [{ path: ['sku'] }]);
  for (const [mutation, isArchived] of [
    ['archiveGadget', true],
    ['unarchiveGadget', false],
  ] as const)
    expect(
      mutation,
      await run(`mutation { ${mutation}(input: { gadgetId: "${id}" }) { gadget { archived: isArchived } } }`),
      { data: { [mutation]: { gadget: { archived: isArchived } } } },
    );
  expect('gadget', await run(`{ gadget(by: { id: "${id}" }) { description partList { totalCount } } }`), {
    data: { gadget: { description: 'Deep.', partList: { totalCount: 2 } } },
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
    (await send<Named[]>('GET', `/api/v2/workspaces/1/${path}?sort_order=desc&per_page=60`)).body
      .map((row) => row[property])
      .filter((what) => what.startsWith('gadget.'))
      .toReversed();
  const named = (whats: readonly string[]) => whats.map((what) => `gadget.${what}`);
  // The demo's two were deleted first.
  const deleted = ['deleted', 'deleted'];
  const archiving = ['updated', 'archived', 'updated', 'unarchived', 'deleted'];
  expect(
    'its events',
    await namesOf('webhooks/outgoing/events', 'event_type_id'),
    named([
      ...[...deleted, 'created', 'created', 'updated', 'updated', 'updated', ...archiving],
      ...['created', 'updated', ...archiving],
    ]),
  );
  const entries = ['updated', 'updated', 'deleted'];
  expect(
    'its audit entries',
    await namesOf('audit_entries', 'action'),
    named([
      ...[...deleted, 'created', 'created', 'updated', 'updated', 'parts_reordered', 'updated', ...entries],
      ...['created', 'updated', ...entries],
    ]),
  );
}
