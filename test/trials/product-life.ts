// The life of the recipe's made-up noun over both faces of a running gateway with its demo data: each step says what it expects.
import { isDeepStrictEqual } from 'node:util';

/** What is looked into of the answers: the rest is compared whole. */
interface Answer<Body> {
  readonly status: number;
  readonly tag: string;
  readonly body: Body;
}

interface Product {
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
  readonly data?: { readonly createProduct?: { readonly product: { readonly id: string } } };
  readonly errors?: readonly { readonly extensions: { readonly field?: string } }[];
}

/** Leads products of the demo's first workspace through their life. @throws Error naming the first step that is not as it should be */
export async function leadProducts(origin: string, key: string): Promise<void> {
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
    send<Product & Problem>(method, `/api/v2${path}`, body, headers);
  const run = async (query: string) => (await send<GraphqlAnswer>('POST', '/graphql', { query })).body;
  function expect(step: string, found: unknown, wanted: unknown): void {
    if (!isDeepStrictEqual(found, wanted))
      throw new Error(`${step}: ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`);
  }
  const codesOf = ({ status, body }: Answer<Problem>) => [status, body.code, body.errors?.[0]?.field];
  const workspace = await rest('GET', '/workspaces/1');
  const workspaceId = btoa(`Workspace:${workspace.body.id}`);
  const products = '/workspaces/1/products';

  const retry = { 'Idempotency-Key': 'the-first-product' };
  const first = { product: { name: 'Mug', sku: 'M-1', description: 'Holds tea.', visible: false } };
  const made = await rest('POST', products, first, retry);
  const { name, sku, description, visible } = made.body;
  expect('created', [made.status, name, sku, description, visible], [201, 'Mug', 'M-1', 'Holds tea.', false]);
  expect('created again with its key', await rest('POST', products, first, retry), made);
  expect('its key for another', codesOf(await rest('POST', products, { name: 'Other' }, retry)), [
    ...[422, 'invalid', 'Idempotency-Key'],
  ]);
  const refused = async (body: object) => codesOf(await rest('POST', products, body));
  expect('without a name', await refused({ sku: 'M-2' }), [422, 'invalid', 'name']);
  expect('too long', await refused({ name: 'x'.repeat(256) }), [422, 'invalid', 'name']);
  expect('a taken unit', await refused({ name: 'Cup', sku: 'M-1' }), [422, 'invalid', 'sku']);
  expect('of nobody', codesOf(await rest('POST', '/workspaces/999999/products', { name: 'x' })), [
    ...[404, 'not_found', undefined],
  ]);
  const plain = await rest('POST', products, { name: 'Plate' });
  expect('the defaults', [plain.body.visible, plain.body.sku, plain.body.description], [true, null, null]);

  const product = `/products/${made.body.id}`;
  const read = await rest('GET', product);
  expect('read', [read.body, read.tag], [made.body, made.tag]);
  expect('by its public id', (await rest('GET', `/products/${made.body.public_id}`)).body, made.body);
  expect('not changed', (await rest('GET', product, undefined, { 'If-None-Match': made.tag })).status, 304);
  expect('listed', (await rest('GET', products)).body, [made.body, plain.body]);
  expect('the visible', (await rest('GET', `${products}?filter[visible]=true`)).body, [plain.body]);
  expect('by its unit', (await rest('GET', `${products}?filter[sku]=M-1,x`)).body, [made.body]);
  expect('after the first', (await rest('GET', `${products}?after=${made.body.id}`)).body, [plain.body]);

  const changed = await rest('PATCH', product, { product: { visible: true } }, { 'If-Match': made.tag });
  expect('changed', [changed.status, changed.body.visible, changed.body.name], [200, true, 'Mug']);
  const byTime = await rest('GET', `${products}?sort_property=updated_at&sort_order=desc`);
  expect('in the order of changes', byTime.body, [changed.body, plain.body]);
  expect('changed since', codesOf(await rest('PUT', product, { name: 'x' }, { 'If-Match': made.tag })), [
    ...[412, 'precondition_failed', undefined],
  ]);
  expect('null', codesOf(await rest('PUT', product, { name: null })), [422, 'invalid', 'name']);
  expect('cleared', (await rest('PUT', product, { sku: null })).body.sku, null);
  expect('deleted', (await rest('DELETE', product)).status, 204);
  expect('gone', codesOf(await rest('GET', product)), [404, 'not_found', undefined]);
  expect('deleted before', codesOf(await rest('DELETE', product)), [404, 'not_found', undefined]);

  const created = await run(
    `mutation { createProduct(input: { workspaceId: "${workspaceId}", name: "Bowl", sku: "B-1", visible: false, idempotencyKey: "g" }) { product { id name sku visible workspace { id } } } }`,
  );
  const id = created.data?.createProduct?.product.id ?? '';
  const shown = { id, name: 'Bowl', sku: 'B-1', visible: false, workspace: { id: workspaceId } };
  expect('createProduct', created, { data: { createProduct: { product: shown } } });
  expect(
    'Workspace.products',
    await run(
      `{ workspace(id: "${workspaceId}") { products(filter: { visible: false }) { totalCount nodes { id } } } }`,
    ),
    { data: { workspace: { products: { totalCount: 1, nodes: [{ id }] } } } },
  );
  expect(
    'updateProduct',
    await run(
      `mutation { updateProduct(input: { productId: "${id}", name: "Deep bowl" }) { product { name sku } } }`,
    ),
    { data: { updateProduct: { product: { name: 'Deep bowl', sku: 'B-1' } } } },
  );
  const blamed = await run(
    `mutation { updateProduct(input: { productId: "${id}", name: null }) { product { name } } }`,
  );
  expect('null over GraphQL', blamed.errors?.[0]?.extensions.field, 'name');
  expect('product', await run(`{ product(id: "${id}") { name } }`), {
    data: { product: { name: 'Deep bowl' } },
  });
  expect(
    'deleteProduct',
    await run(`mutation { deleteProduct(input: { productId: "${id}" }) { deletedProductId } }`),
    { data: { deleteProduct: { deletedProductId: id } } },
  );
  expect('gone over GraphQL', (await run(`{ node(id: "${id}") { id } }`)).data, { node: null });
  expect('still there', (await rest('GET', products)).body, [plain.body]);

  interface Named {
    readonly event_type_id: string;
    readonly action: string;
  }
  const namesOf = async (path: string, property: keyof Named) =>
    (await send<Named[]>('GET', `/api/v2/workspaces/1/${path}?sort_order=desc&per_page=8`)).body
      .map((row) => row[property])
      .filter((what) => what.startsWith('product.'))
      .toReversed();
  const happened = ['created', 'created', 'updated', 'updated', 'deleted', 'created', 'updated', 'deleted'];
  const names = happened.map((what) => `product.${what}`);
  expect('its events', await namesOf('webhooks/outgoing/events', 'event_type_id'), names);
  expect('its audit entries', await namesOf('audit_entries', 'action'), names);
}
