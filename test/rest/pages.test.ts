// The rules of funnels, their pages, themes and the site. Rules of every noun are tested elsewhere.
import { expect, test } from 'vitest';
import type { Scope } from '../../src/auth/scopes.ts';
import { insertFirstObjects } from '../../src/store/changing/first-objects.ts';
import { withPrisma } from '../../src/store/store.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient } from '../support/rest-client.ts';
import { refusalOf, sendMutation } from '../support/user-errors.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const client = await createRestClient(gateway);
const { send, workspaceId, caller } = client;
const inWorkspace = `/api/v2/workspaces/${workspaceId}`;

interface Offering {
  readonly show_page_step: { readonly products: object[] | null };
}

interface Shown {
  readonly id: number;
  readonly public_id: string;
  readonly [member: string]: unknown;
}

async function done(method: string, path: string, body?: object): Promise<Shown> {
  const answer = await send(method, path, body);
  if (answer.status > 204) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body as unknown as Shown;
}
const funnelOf = (members: object) => done('POST', `${inWorkspace}/funnels`, { funnel: members });
const pageOf = (members: object) => done('POST', `${inWorkspace}/pages`, { page: members });
const productOf = (name: string) => done('POST', `${inWorkspace}/products`, { product: { name } });
const pagesBy = async (query: string) =>
  ((await done('GET', `${inWorkspace}/pages?${query}`)) as unknown as Shown[]).map(({ id }) => id);
const stepsOf = async ({ id }: Shown) =>
  ((await done('GET', `/api/v2/funnels/${id}/structure`))['steps'] as { page: Shown }[]).map(
    ({ page }) => page['name'],
  );

test('a funnel is created with an empty workflow and a path of its own, derived from its name', async () => {
  const [first, second] = [
    await funnelOf({ name: 'Größe wählen!' }),
    await funnelOf({ name: 'Grosse wahlen' }),
  ];
  expect([first['current_path'], second['current_path']]).toEqual(['/grosse-wahlen', '/grosse-wahlen-2']);
  expect(await stepsOf(first)).toEqual([]);
  expect((await funnelOf({ name: 'A', current_path: 'own' }))['current_path']).toBe('/own');
  const body = { funnel: { name: 'B', current_path: '/own' } };
  expect(await client.refused(422, 'POST', `${inWorkspace}/funnels`, body)).toEqual(['current_path']);
  const made = await Promise.all([1, 2, 3, 4].map(() => funnelOf({ name: 'At once' })));
  expect(new Set(made.map((funnel) => funnel['current_path'])).size).toBe(4);
});

test('a funnel has its tags until they are deleted', async () => {
  const tag = await done('POST', `${inWorkspace}/funnels/tags`, { funnels_tag: { name: 'Winter' } });
  const funnel = await funnelOf({ name: 'Tagged', tag_ids: [tag.id] });
  const { id, public_id, name } = tag;
  expect(funnel['tags']).toEqual([{ id, public_id, name, color: '#888888' }]);
  await done('DELETE', `/api/v2/funnels/tags/${id}`);
  expect(await done('GET', `/api/v2/funnels/${funnel.id}`)).toMatchObject({ tags: [], tag_ids: [] });
});

test('code is appended unless it replaces the old, and is returned with expand[]', async () => {
  const funnel = await funnelOf({ name: 'With code', head_code: '<a>' });
  expect(funnel).not.toHaveProperty('head_code');
  const path = `/api/v2/funnels/${funnel.id}?expand[]=head_code`;
  const change = async (members: object) => (await done('PUT', path, { funnel: members }))['head_code'];
  expect(await change({ head_code: '<b>' })).toBe('<a>\n<b>');
  expect(await change({ head_code: '<c>', head_code_mode: 'append' })).toBe('<a>\n<b>\n<c>');
  expect(await change({ name: 'Renamed' })).toBe('<a>\n<b>\n<c>');
  for (const _ of ['once', 'twice']) expect(await change({ head_code: '' })).toBe('<a>\n<b>\n<c>');
  expect(await change({ head_code: '<d>', head_code_mode: 'replace' })).toBe('<d>');
  const long = { funnel: { head_code: 'x'.repeat(19_999) } };
  expect(await client.refused(422, 'PUT', path, long)).toEqual(['head_code']);
  expect(await change({ head_code: null })).toBeNull();
  expect(await change({ head_code: '' })).toBeNull();
  await Promise.all(['1', '2', '3'].map((head_code) => change({ head_code })));
  expect(
    String((await done('GET', path))['head_code'])
      .split('\n')
      .sort(),
  ).toEqual(['1', '2', '3']);
});

test('a page is created at the entry of a funnel, after a step of it, or without a funnel', async () => {
  const funnel = await funnelOf({ name: 'Ski' });
  const last = await pageOf({ name: 'Thank you', funnel: { funnel_id: funnel.public_id } });
  const entry = await pageOf({
    name: 'Meet the jacket',
    funnel: { funnel_id: String(funnel.id), after_show_page_step_id: null, show_page_step_id: null },
  });
  const step = entry['show_page_step'] as Shown;
  const middle = await pageOf({ name: 'Your size', funnel: { after_show_page_step_id: step.id } });
  const own = await pageOf({ name: 'Alone', funnel: null, show_page_step: null });
  expect(await stepsOf(funnel)).toEqual(['Meet the jacket', 'Your size', 'Thank you']);
  expect(middle).toMatchObject({
    ...{ type: 'funnel_page', current_path: '/ski/your-size' },
    funnel: { id: funnel.id, public_id: funnel.public_id, name: 'Ski' },
    show_page_step: { name: 'Your size', products: [] },
  });
  expect(own).toMatchObject({ type: 'landing_page', funnel: null, show_page_step: null });
  expect(await pagesBy(`filter[funnel_ids]=${funnel.id}`)).toEqual([last.id, entry.id, middle.id]);
  expect(await pagesBy('filter[funnel_pages]=false')).toEqual([own.id]);
  expect(await pagesBy('filter[funnel_pages]=true&sort_property=updated_at')).toHaveLength(3);

  // Neither could be visited at its url.
  for (const current_path of ['/two words', 'tab\there'])
    for (const kind of ['page', 'funnel'])
      expect(
        await client.refused(422, 'POST', `${inWorkspace}/${kind}s`, { [kind]: { name: 'X', current_path } }),
      ).toEqual(['current_path']);
  const elsewhere = { page: { name: 'Nowhere', funnel: { funnel_id: '999999' } } };
  expect(await client.refused(422, 'POST', `${inWorkspace}/pages`, elsewhere)).toEqual(['funnel']);
  const another = await funnelOf({ name: 'Another' });
  const both = {
    page: { name: 'X', funnel: { funnel_id: another.public_id, after_show_page_step_id: step.id } },
  };
  expect(await client.refused(422, 'POST', `${inWorkspace}/pages`, both)).toEqual(['funnel']);
  const id = (type: string, of: unknown) => btoa(`${type}:${of}`);
  const createIn = async (place: object) => {
    const input = { workspaceId: id('Workspace', workspaceId), name: 'X', place };
    return refusalOf(await sendMutation(gateway, 'createPage', input, { caller }));
  };
  const nowhere = { inFunnel: { funnelId: id('Funnel', 999_999) } };
  expect(await createIn(nowhere)).toMatchObject({ code: 'NOT_FOUND', field: 'place.inFunnel.funnelId' });
  const behind = { after: id('PageStep', 999_999) };
  expect(await createIn(behind)).toMatchObject({ code: 'NOT_FOUND', field: 'place.after' });
  // One of them says it all.
  const ids = { inFunnel: { funnelId: id('Funnel', funnel.id) }, after: id('PageStep', step.id) };
  expect(await createIn(ids)).toMatchObject({ code: 'BAD_REQUEST', field: 'input' });

  const kept = await send('DELETE', `/api/v2/pages/${entry.id}`);
  expect([kept.status, kept.body['detail']]).toEqual([
    409,
    `The page is used by a step of the funnel "Ski" (${funnel.public_id}) and was not deleted.`,
  ]);
  await done('DELETE', `/api/v2/pages/${own.id}`);
  expect((await send('GET', `/api/v2/pages/${own.id}`)).status).toBe(404);
});

test.each(['product_ids', 'bumps'])(
  '%s inside of funnel is a bad request: the page offers them',
  async (name) => {
    const funnel = await funnelOf({ name: `Slip ${name}` });
    const { id } = await pageOf({ name: 'Offers' });
    const members = { name: 'X', funnel: { funnel_id: funnel.public_id, [name]: [] } };
    for (const [method, path] of [
      ['POST', `${inWorkspace}/pages`],
      ['PATCH', `/api/v2/pages/${id}`],
      ['PUT', `/api/v2/pages/${id}`],
    ] as const) {
      const { status, body } = await send(method, path, { page: members });
      expect([status, body]).toMatchObject([
        400,
        {
          code: 'bad_request',
          errors: [
            {
              field: `funnel.${name}`,
              code: 'unknown_field',
              message: expect.stringContaining('show_page_step'),
            },
          ],
        },
      ]);
    }
    expect(await stepsOf(funnel)).toEqual([]);
    expect(await done('GET', `/api/v2/pages/${id}`)).toMatchObject({ name: 'Offers' });
  },
);

test('a page offers products and bumps on its step, which can be removed again', async () => {
  const [mug, tea, cake] = [await productOf('Mug'), await productOf('Tea'), await productOf('Cake')];
  const funnel = await funnelOf({ name: 'Tea time' });
  const bumps = [{ product_id: cake.id, preheadline: 'And a cake?' }];
  const page = await pageOf({
    ...{ name: 'Order', funnel: { funnel_id: funnel.public_id } },
    show_page_step: { product_ids: [tea.public_id, String(mug.id)], bumps },
  });
  const shown = ({ id, public_id, name }: Shown, bump_preheadline: string | null = null) => {
    return { id, public_id, name, bump: bump_preheadline !== null, bump_preheadline };
  };
  const offered = async () =>
    ((await done('GET', `/api/v2/pages/${page.id}`))['show_page_step'] as { products: object[] }).products;
  expect(await offered()).toEqual([shown(tea), shown(mug), shown(cake, 'And a cake?')]);
  const path = `/api/v2/pages/${page.id}`;
  const wrong = { page: { show_page_step: { product_ids: ['999999'] } } };
  expect(await client.refused(422, 'PUT', path, wrong)).toEqual(['show_page_step.product_ids']);
  const stranger = { page: { show_page_step: { bumps: [{ product_id: 999_999 }] } } };
  expect(await client.refused(422, 'PUT', path, stranger)).toEqual(['show_page_step.bumps[0].product_id']);
  expect((await send('DELETE', `${path}/products`, { product_ids: [tea.public_id, cake.id] })).status).toBe(
    204,
  );
  expect(await offered()).toEqual([shown(mug)]);
  const query = `{ page(by: { databaseId: ${page.id} }) { funnel { name pages { name products { name } } } step { name } } }`;
  expect((await post(gateway, { query }, { caller })).data).toEqual({
    page: {
      funnel: { name: 'Tea time', pages: [{ name: 'Order', products: [{ name: 'Mug' }] }] },
      step: { name: 'Order' },
    },
  });
});

test('a request with two contradictory members is refused, whichever would win', async () => {
  const [first, second] = [await productOf('Once'), await productOf('Twice')];
  const funnel = await funnelOf({ name: 'Two answers' });
  const page = await pageOf({
    ...{ name: 'Asked', funnel: { funnel_id: funnel.public_id } },
    show_page_step: { product_ids: [first.id] },
  });
  const path = `/api/v2/pages/${page.id}`;
  for (const twice of [
    { product_ids: [first.id], show_page_step: { product_ids: [second.id] } },
    { bumps: [], show_page_step: { bumps: [{ product_id: second.id }] } },
  ]) {
    const [field] = Object.keys(twice);
    const body = { page: { ...twice, name: 'Renamed' } };
    expect(await client.refused(422, 'PUT', path, body)).toEqual([field]);
    expect(await client.refused(422, 'POST', `${inWorkspace}/pages`, body)).toEqual([field]);
  }
  const apart = { product_ids: [second.id], show_page_step: { bumps: [{ product_id: first.id }] } };
  expect(await done('PUT', path, { page: apart })).toMatchObject({
    ...{ name: 'Asked', product_ids: [second.id], bumps: [{ product_id: first.id }] },
  });
  const another = await pageOf({ name: 'Later', funnel: { funnel_id: funnel.public_id } });
  const [step, other] = [page, another].map((of) => (of['show_page_step'] as Shown).id);
  const behind = { after_show_page_step_id: step, show_page_step_id: other };
  const body = { page: { name: 'Where?', funnel: behind } };
  expect(await client.refused(422, 'POST', `${inWorkspace}/pages`, body)).toEqual(['funnel']);
  await pageOf({ name: 'There', funnel: { ...behind, show_page_step_id: step } });
  expect(await stepsOf(funnel)).toEqual(['Later', 'Asked', 'There']);
});

test('the offers of a page are null for callers who may not read the store', async () => {
  const funnel = await funnelOf({ name: 'Hidden' });
  const tea = await productOf('Tea');
  const page = await pageOf({
    ...{ name: 'Offer', funnel: { funnel_id: funnel.public_id } },
    show_page_step: { product_ids: [tea.id] },
  });
  const path = `/api/v2/pages/${page.id}`;
  const shown = async (...scopes: Scope[]) => {
    const by = await factories.apiKey(gateway.app, { teamId: client.teamId, scopes });
    const ask = async (method: string, at: string, body?: object) => {
      const answer = await gateway.send(at, {
        ...{ caller: by, method, ...(body && { body: JSON.stringify(body) }) },
        headers: { 'Content-Type': 'application/json' },
      });
      return json<Offering | Offering[]>(answer);
    };
    const [one, list, changed] = [
      await ask('GET', path),
      await ask('GET', `${inWorkspace}/pages?per_page=1&sort_order=desc`),
      await ask('PUT', path, { page: { name: `Offer of ${scopes.length}` } }),
    ];
    return [one, list, changed].flat().map((found) => found.show_page_step.products);
  };
  expect(await shown('funnels:read', 'funnels:write')).toEqual([null, null, null]);
  const offered = [expect.objectContaining({ name: 'Tea' })];
  expect(await shown('funnels:read', 'funnels:write', 'store:read')).toEqual([offered, offered, offered]);
});

test('a workspace has a site and a default theme; another theme replaces it with a style of its own', async () => {
  const { app } = gateway;
  const [other] = [await factories.workspace(app, { teamId: client.teamId })];
  await withPrisma(app.store, (prisma) =>
    prisma.$transaction((tx) =>
      insertFirstObjects(tx, { id: other.id, name: 'Shop', createdAt: new Date() }),
    ),
  );
  const path = `/api/v2/workspaces/${other.id}`;
  expect(await done('PUT', `${path}/site`, { site: { name: 'Our shop' } })).toMatchObject({
    name: 'Our shop',
  });
  expect(await done('GET', `${path}/site`)).toMatchObject({
    name: 'Our shop',
    workspace_id: Number(other.id),
  });
  const themes = async () => (await done('GET', `${path}/themes`)) as unknown as Shown[];
  const [standard] = await themes();
  expect(standard).toMatchObject({ default: true, styles: [{ name: 'Light' }] });
  const { id } = await prismaOf(app.store).theme.create({ data: { workspaceId: other.id, name: 'Dark' } });
  await Promise.all([1, 2].map(() => done('POST', `/api/v2/themes/${id}/set_default`)));
  expect((await themes()).map((theme) => theme['default'])).toEqual([false, true]);
  const foreign = { theme: { current_style_id: standard?.['current_style_id'] } };
  expect(await client.refused(422, 'PUT', `/api/v2/themes/${id}`, foreign)).toEqual(['current_style_id']);
  const entries = (await done('GET', `${path}/audit_entries`)) as unknown as { action: string }[];
  expect(entries.map(({ action }) => action).sort()).toEqual([
    'site.updated',
    'theme.made_default',
    'theme.updated',
  ]);
});

test('a workspace from an earlier version gets its theme when its themes are listed', async () => {
  const [first, second] = [
    await factories.workspace(gateway.app, { teamId: client.teamId }),
    await factories.workspace(gateway.app, { teamId: client.teamId }),
  ];
  expect(await done('GET', `/api/v2/workspaces/${first.id}/themes`)).toMatchObject([{ default: true }]);
  const query = `{ workspace(by: { databaseId: ${second.id} }) { themes { nodes { isDefault } } } }`;
  expect((await post(gateway, { query }, { caller })).data).toEqual({
    workspace: { themes: { nodes: [{ isDefault: true }] } },
  });
});

test('a new page is placed by sort_order; a missing place is refused by name', async () => {
  const funnel = await funnelOf({ name: 'Ordered' });
  const at = (name: string, sort_order: unknown, place: object = { funnel_id: String(funnel.id) }) =>
    send('POST', `${inWorkspace}/pages`, { page: { name, sort_order, funnel: place } });
  for (const [name, place] of [
    ['B', 0],
    ['C', 1],
    ['A', 0],
  ] as const)
    expect((await at(name, place)).status).toBe(201);
  expect(await stepsOf(funnel)).toEqual(['A', 'B', 'C']);
  const first = (await done('GET', `/api/v2/funnels/${funnel.id}/structure`))['steps'] as { id: number }[];
  for (const refused of [
    await at('D', 4),
    await at('D', -1),
    await at('D', 0, { after_show_page_step_id: first[0]?.id }),
    await send('POST', `${inWorkspace}/pages`, { page: { name: 'D', sort_order: 0 } }),
  ])
    expect([refused.status, refused.body.errors.map(({ field }) => field)]).toEqual([422, ['sort_order']]);
  expect(await stepsOf(funnel)).toEqual(['A', 'B', 'C']);
});

test('a list reads long code and markup only if it returns them', async () => {
  const { readers } = gateway.app.store;
  const { read } = readers;
  const texts: string[] = [];
  readers.read = (statement, ...rest) => {
    texts.push(statement.text);
    return read.call(readers, statement, ...rest);
  };
  const columnsOf = async (list: string, query = '') => {
    texts.length = 0;
    await done('GET', `${inWorkspace}/${list}${query}`);
    return ['head_code', 'footer_code', 'markup'].filter((column) =>
      texts.some((text) => text.includes(`t.${column}`)),
    );
  };
  try {
    await pageOf({ name: 'Long', markup: 'm', head_code: 'h' });
    expect(await columnsOf('pages')).toEqual([]);
    expect(await columnsOf('funnels')).toEqual([]);
    expect(await columnsOf('pages', '?expand[]=markup&sort_property=updated_at')).toEqual(['markup']);
    expect(await columnsOf('pages', '?expand[]=head_code&expand[]=footer_code')).toEqual([
      'head_code',
      'footer_code',
    ]);
    const shown = await done('GET', `${inWorkspace}/pages?expand[]=markup&sort_order=desc&per_page=1`);
    expect(shown).toMatchObject([{ name: 'Long', markup: 'm' }]);
  } finally {
    readers.read = read;
  }
});

test('a page of another server has its URL, in the workflow and in both faces', async () => {
  const funnel = await funnelOf({ name: 'Elsewhere' });
  const url = 'https://shop.example/checkout?step=1';
  const page = await done('POST', `${inWorkspace}/pages/external`, {
    page: { name: 'Checkout', url, funnel: { funnel_id: funnel.public_id } },
  });
  const shown = { name: 'Checkout', url, external_url: url, external: true, type: 'funnel_page' };
  expect(page).toMatchObject(shown);
  expect(await done('GET', `/api/v2/pages/${page.id}`)).toMatchObject(shown);
  const { steps } = (await done('GET', `/api/v2/funnels/${funnel.id}/structure`)) as unknown as {
    steps: { page: object }[];
  };
  expect(steps[0]?.page).toMatchObject({ id: page.id, url, external: true });
  const query = `{ page(by: { databaseId: ${page.id} }) { url externalUrl } }`;
  expect((await post(gateway, { query }, { caller })).data).toEqual({ page: { url, externalUrl: url } });
  const here = await done('PATCH', `/api/v2/pages/${page.id}`, { page: { external_url: null } });
  expect(here).toMatchObject({ external: false, external_url: null, current_path: '/elsewhere/checkout' });
  expect(here['url']).toMatch(/\/elsewhere\/checkout$/);
  for (const [wrong, fields] of [
    [{ name: 'X' }, ['url']],
    [{ url: null }, ['name', 'url']],
    [{ name: 'X', url: 'javascript:alert(1)' }, ['url']],
    [{ name: 'X', url: 'https://shop.example/a b' }, ['url']],
    [{ name: 'X', url: `https://shop.example/${'a'.repeat(2_000)}` }, ['url']],
  ] as const)
    expect(
      (await client.refused(422, 'POST', `${inWorkspace}/pages/external`, { page: wrong })).sort(),
    ).toEqual(fields);
});

test('a page is created from HTML, and has styles of its own', async () => {
  const html = {
    name: 'Plain',
    markup: '<h1>Hi</h1>',
    head_code: '<!-- h -->',
    custom_css: 'h1 { color: red }',
  };
  const page = await done('POST', `${inWorkspace}/pages/custom_html`, { page: html });
  const path = `/api/v2/pages/${page.id}?expand[]=markup&expand[]=head_code&expand[]=custom_css`;
  expect(await done('GET', path)).toMatchObject(html);
  expect(await done('PUT', path, { page: { custom_css: '' } })).toMatchObject({ custom_css: '' });
  expect(await done('PUT', path, { page: { custom_css: null } })).toMatchObject({ custom_css: null });
  for (const wrong of [{ name: 'X' }, { name: 'X', markup: null }, { name: 'X', markup: ' ' }])
    expect(await client.refused(422, 'POST', `${inWorkspace}/pages/custom_html`, { page: wrong })).toEqual([
      'markup',
    ]);
});

test('a change of a page moves its step among its siblings', async () => {
  const funnel = await funnelOf({ name: 'Moved' });
  const pages = [];
  for (const [sort_order, name] of ['A', 'B', 'C'].entries())
    pages.push(await pageOf({ name, sort_order, funnel: { funnel_id: funnel.public_id } }));
  const [first] = pages;
  const path = `/api/v2/pages/${first?.id}`;
  const key = { 'Idempotency-Key': 'move-the-page' };
  for (const _ of ['once', 'again'])
    expect((await send('PATCH', path, { page: { sort_order: 2, name: 'Last' } }, key)).status).toBe(200);
  expect(await stepsOf(funnel)).toEqual(['B', 'C', 'Last']);
  expect(await done('PUT', path, { page: { sort_order: '1' } })).toMatchObject({ name: 'Last' });
  expect(await stepsOf(funnel)).toEqual(['B', 'Last', 'C']);
  for (const sort_order of [3, -1, 1.5])
    expect(await client.refused(422, 'PATCH', path, { page: { name: 'No', sort_order } })).toEqual([
      'sort_order',
    ]);
  expect(await stepsOf(funnel)).toEqual(['B', 'Last', 'C']);
  const alone = await pageOf({ name: 'Alone' });
  expect(
    await client.refused(422, 'PATCH', `/api/v2/pages/${alone.id}`, { page: { sort_order: 0 } }),
  ).toEqual(['sort_order']);
  const { headers } = await send('GET', path);
  const stale = { 'If-Match': headers.get('ETag') ?? '' };
  expect((await send('PATCH', path, { page: { sort_order: 0 } }, stale)).status).toBe(200);
  expect((await send('PATCH', path, { page: { sort_order: 2 } }, stale)).status).toBe(412);
  expect(await stepsOf(funnel)).toEqual(['Last', 'B', 'C']);
});

test('a page takes the place of the page of a step, which becomes standalone', async () => {
  const funnel = await funnelOf({ name: 'Swapped' });
  const old = await pageOf({ name: 'Old', funnel: { funnel_id: funnel.public_id } });
  const { id: stepId, public_id: stepPublicId } = old['show_page_step'] as Shown;
  const fresh = await pageOf({ name: 'Fresh' });
  const swap = (page: Shown, show_page_step_id: unknown, others: object = {}) =>
    send('PATCH', `/api/v2/pages/${page.id}`, { page: { ...others, funnel: { show_page_step_id } } });
  const swapped = await swap(fresh, stepId, { head_code: '<b>', name: 'Newer' });
  expect([swapped.status, swapped.body]).toMatchObject([
    200,
    { type: 'funnel_page', name: 'Newer', funnel: { id: funnel.id }, show_page_step: { id: stepId } },
  ]);
  expect(await done('GET', `/api/v2/pages/${old.id}`)).toMatchObject({
    ...{ type: 'landing_page', funnel: null, show_page_step: null },
  });
  expect(await stepsOf(funnel)).toEqual(['Newer']);
  expect((await swap(old, stepPublicId)).body).toMatchObject({ show_page_step: { id: stepId } });
  expect(await stepsOf(funnel)).toEqual(['Old']);
  const entriesOf = async () =>
    (
      (await done('GET', `${inWorkspace}/audit_entries?per_page=2&sort_order=desc`)) as unknown as {
        action: string;
      }[]
    ).map(({ action }) => action);
  expect((await entriesOf()).sort()).toEqual(['funnel.page_step_changed', 'page.updated']);
  // It is there already.
  expect((await swap(old, String(stepId))).status).toBe(200);

  const other = await pageOf({ name: 'Other', funnel: { funnel_id: funnel.public_id } });
  for (const [page, step] of [
    [other, stepId],
    [fresh, 999_999],
    [fresh, 'nothing'],
  ] as const) {
    const refused = await swap(page, step);
    expect([refused.status, refused.body.errors[0]?.field]).toEqual([
      422,
      step === 'nothing' ? 'funnel.show_page_step_id' : 'funnel',
    ]);
  }
  expect(await stepsOf(funnel)).toEqual(['Other', 'Old']);

  const id = (type: string, of: unknown) => btoa(`${type}:${of}`);
  const input = { stepId: id('PageStep', stepId), pageId: id('Page', fresh.id) };
  await sendMutation(gateway, 'replaceStepPage', input, { caller });
  expect(await stepsOf(funnel)).toEqual(['Other', 'Newer']);
  const taken = { ...input, pageId: id('Page', other.id) };
  const refusal = refusalOf(await sendMutation(gateway, 'replaceStepPage', taken, { caller }));
  expect(refusal).toMatchObject({ field: 'pageId' });
});

test('pages that take the same step at once leave it with one of them', async () => {
  const funnel = await funnelOf({ name: 'Race' });
  const old = await pageOf({ name: 'Old', funnel: { funnel_id: funnel.public_id } });
  const { id: show_page_step_id } = old['show_page_step'] as Shown;
  const pages = await Promise.all([1, 2, 3, 4].map((n) => pageOf({ name: `P${n}` })));
  const answers = await Promise.all(
    pages.map(({ id }) => send('PATCH', `/api/v2/pages/${id}`, { page: { funnel: { show_page_step_id } } })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await pagesBy(`filter[funnel_ids]=${funnel.id}`)).toHaveLength(1);
});
