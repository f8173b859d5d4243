// The statistics of pages and funnels: sums of hours, over both APIs; sales are counted once, when they are paid.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { line, offer } from '../support/orders/shop.ts';
import { countedAndRaw } from '../support/raw-visits.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await ownGateway();
const { app } = gateway;
const client = await createRestClient(gateway);
const { workspaceId, caller } = client;

const HOUR_MS = 3_600_000;
/** The start of an hour, some hours ago. */
const hour = (ago: number, minutes = 0) =>
  new Date((Math.floor(Date.now() / HOUR_MS) - ago) * HOUR_MS + minutes * 60_000).toISOString();

async function record(
  pageId: bigint | null | undefined,
  ...visits: [who: number | string, at: string][]
): Promise<void> {
  const { status, text } = await client.send('POST', `/api/v2/pages/${pageId}/visits`, {
    visits: visits.map(([who, at]) => ({
      uuid: randomUUID(),
      ...(typeof who === 'string' ? { visitor_id: who } : { contact_id: who }),
      started_at: at,
    })),
  });
  expect([status, text]).toEqual([202, '']);
}

async function order(
  pageId: bigint | null | undefined,
  contactId: number,
  members: object = {},
  amount = '12.00',
  currency = 'EUR',
) {
  const goods = await offer(app, workspaceId, {
    ...{ amount, currency },
    paymentType: 'order_type' in members ? 'subscription' : 'one_time',
  });
  const { status, text, body } = await client.send('POST', `/api/v2/workspaces/${workspaceId}/orders`, {
    order: {
      ...{ contact_id: contactId, live_mode: true, order_type: 'one-time-order', billing_status: 'paid' },
      ...{ page_id: Number(pageId), line_items_attributes: [line(goods)], ...members },
    },
  });
  expect([status, text]).toEqual([201, text]);
  return body;
}

interface Listed {
  readonly workspace: { readonly pages: { readonly nodes: unknown } };
}

const statsOf = async (path: string) => (await client.send('GET', `/api/v2/${path}`)).body;

test('a funnel and its pages have statistics of their visits and sales, also by day over GraphQL', async () => {
  const funnel = await factories.funnel(app, { workspaceId });
  const steps = await factories.workflow(app, funnel, [
    'Start',
    { split: 'Which?', matched: ['Left'], unmatched: ['Right'] },
  ]);
  const { id: ann } = (await client.create()).body;
  const [start, left] = [steps.get('Start')?.pageId, steps.get('Left')?.pageId];
  await record(start, [ann, hour(30)], ['cookie', hour(30, 59)], ['cookie', hour(2)]);
  await record(left, [ann, hour(2, 10)]);
  const first = await order(start, ann);
  expect(first).toMatchObject({ page_id: Number(start), page_name: 'Start', order_page: { name: 'Start' } });
  expect(first['funnel_name']).toBe(`Funnel ${funnel.id}`);
  await order(start, ann, {}, '7.51');
  await order(start, ann, { live_mode: false });
  await order(start, ann, { billing_status: 'unpaid' });

  const { step, ...rest } = await statsOf(`pages/${start}/stats`);
  const shown = { id: Number(funnel.id), public_id: funnel.publicId, name: `Funnel ${funnel.id}` };
  const expected = {
    ...{
      page_id: Number(start),
      name: 'Start',
      current_path: '/start',
      views_all: 3,
      views_unique: 2,
      optins: 1,
    },
    ...{ optin_rate: 0.5, sales_count: 2, sales_value: '19.51', sales_rate: 1, recurring_sales_count: 0 },
    ...{ recurring_sales_value: '0.00', earnings_per_view: '6.50', earnings_per_unique_view: '9.76' },
  };
  expect(step).toEqual(expected);
  expect(rest).toMatchObject({
    currency: 'EUR',
    funnel: shown,
    page: { name: 'Start', type: 'funnel_page' },
  });

  const stats = await statsOf(`funnels/${funnel.id}/stats?expand[]=steps`);
  expect(stats).toEqual({
    ...{ currency: 'EUR', timerange: rest['timerange'], funnel: shown },
    summary: {
      ...{ pageviews: 4, upfront_sales_count: 2, upfront_sales: '19.51', recurring_sales: '0.00' },
      ...{ average_cart_value: '9.76', earnings_per_click: '4.88' },
    },
    steps: [
      expected,
      expect.objectContaining({ views_all: 1, optins: 1 }),
      expect.objectContaining({ views_all: 0 }),
    ],
    page_public_ids: [expect.any(String), expect.any(String), expect.any(String)],
  });
  expect(Object.keys(await statsOf(`funnels/${funnel.id}/stats`))).toEqual(
    Object.keys(stats).filter((name) => name !== 'steps'),
  );
  // It was shown only where it was named: clients may still name it.
  const named = `/api/v2/funnels/${funnel.id}/stats?expand[]=page_public_ids&expand[]=steps`;
  expect((await client.send('GET', named)).body).toEqual(stats);
  const unknown = `/api/v2/funnels/${funnel.id}/stats?expand[]=page_ids`;
  expect(await client.refused(422, 'GET', unknown)).toEqual(['expand[]']);

  const query = `{ funnel(by: { databaseId: ${funnel.id} }) { stats(from: "${hour(40)}") {
    views sales { amount currency } averageSale { amount } earningsPerView { amount } recurringSales { amount }
    steps { step { name position } page { name currentPath } uniqueViews optInRate sales { amount } }
    series { day views uniqueViews optIns salesCount sales { amount } } }
    steps { name stats(from: "${hour(40)}") { step { name } page { name } views sales { amount currency } } } } }`;
  const { data, errors } = await post<{
    funnel: { steps: object[]; stats: { series: { views: number; salesCount: number }[] } };
  }>(gateway, { query }, { caller });
  expect(errors).toBeUndefined();
  const series = data?.funnel.stats.series ?? [];
  expect(data?.funnel.stats).toMatchObject({
    ...{ views: 4, sales: [{ amount: '19.51', currency: 'EUR' }], recurringSales: [] },
    ...{ averageSale: [{ amount: '9.76' }], earningsPerView: [{ amount: '4.88' }] },
    steps: [
      {
        ...{ step: { name: 'Start', position: 0 }, page: { name: 'Start', currentPath: '/start' } },
        ...{ uniqueViews: 2, optInRate: 0.5, sales: [{ amount: '19.51' }] },
      },
      { step: { name: 'Left' }, sales: [] },
      { step: { name: 'Right' } },
    ],
  });
  expect(series.reduce((sum, { views }) => sum + views, 0)).toBe(4);
  expect(series.at(-1)).toMatchObject({ salesCount: 2, sales: [{ amount: '19.51' }] });
  const ofStep = (name: string, views: number, ...sales: object[]) => ({
    name,
    stats: { step: { name }, page: { name }, views, sales },
  });
  expect(data?.funnel.steps).toEqual([
    ofStep('Start', 3, { amount: '19.51', currency: 'EUR' }),
    { name: 'Which?', stats: null },
    ofStep('Left', 1),
    ofStep('Right', 0),
  ]);
});

test('the span has complete hours, which the answer contains; nothing outside is counted', async () => {
  const page = await factories.page(app, workspaceId, 'Hours');
  await record(page.id, ['a', hour(6, 59)], ['b', hour(5)], ['c', hour(4, 59)], ['d', hour(3)]);
  const { timerange, step } = await statsOf(
    `pages/${page.id}/stats?timerange_start=${hour(5, 30)}&timerange_end=${hour(4, 1)}`,
  );
  expect(timerange).toEqual({ from: hour(5), to: hour(4) });
  expect(step).toMatchObject({ views_all: 1, name: 'Hours' });
  const { timerange: usual } = await statsOf(`pages/${page.id}/stats`);
  expect(usual).toEqual({ from: hour(30 * 24 - 1), to: hour(-1) });
});

test('GraphQL has the sales of each currency, REST those of the one with the most', async () => {
  const page = await factories.page(app, workspaceId, 'Currencies');
  const { id: contactId } = (await client.create()).body;
  await record(page.id, ['a', hour(1)], ['b', hour(1)]);
  await order(page.id, contactId);
  await order(page.id, contactId, {}, '8.00');
  await order(page.id, contactId, {}, '500', 'JPY');
  const query = `{ page(by: { databaseId: ${page.id} }) { stats { salesCount salesRate sales { amount currency }
    earningsPerView { amount currency } series { sales { amount currency } } } } }`;
  const { data } = await post(gateway, { query }, { caller });
  const money = (euros: string, yen: string) => [
    { amount: euros, currency: 'EUR' },
    { amount: yen, currency: 'JPY' },
  ];
  expect(data).toMatchObject({
    page: {
      stats: {
        ...{ salesCount: 3, salesRate: 1.5, sales: money('20.00', '500') },
        earningsPerView: money('10.00', '250'),
      },
    },
  });
  expect((await statsOf(`pages/${page.id}/stats`))['step']).toMatchObject({
    ...{ sales_count: 2, sales_value: '20.00', earnings_per_view: '10.00' },
  });
});

test('the statistics of the steps of many funnels are one statement', async () => {
  const { id } = await factories.workspace(app, { teamId: client.teamId });
  for (let count = 0; count < 3; count++)
    await factories.workflow(app, await factories.funnel(app, { workspaceId: id }), [
      'Start',
      { split: 'Or', matched: ['Yes'], unmatched: ['No'] },
    ]);
  const query = `{ workspace(by: { databaseId: ${id} }) { funnels { nodes { steps { stats { views step { name } page { name } } } } } } }`;
  const names = await statementsOf(gateway, async () => {
    const { errors } = await post(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
  });
  expect(names.filter((name) => /^(funnel_steps|page_hours|pages)/.test(name)).toSorted()).toEqual([
    ...['funnel_steps.of_funnels', 'page_hours.by_page'],
  ]);
});

test('a page without sales has the currency of its workspace over REST, and no amounts over GraphQL', async () => {
  const { id } = await factories.workspace(app, { teamId: client.teamId });
  const page = await factories.page(app, id, 'Unsold');
  const funnel = await factories.funnel(app, { workspaceId: id });
  await factories.workflow(app, funnel, ['Start']);
  const currencies = async () => {
    const query = `{ page(by: { databaseId: ${page.id} }) { stats { sales { amount } } } funnel(by: { databaseId: ${funnel.id} }) { stats { sales { amount } earningsPerView { amount } } } }`;
    const { data } = await post(gateway, { query }, { caller });
    return [
      (await statsOf(`pages/${page.id}/stats`))['currency'],
      (await statsOf(`funnels/${funnel.id}/stats`))['currency'],
      data,
    ];
  };
  const none = { page: { stats: { sales: [] } }, funnel: { stats: { sales: [], earningsPerView: [] } } };
  expect(await currencies()).toEqual(['USD', 'USD', none]);
  await offer(app, id, { amount: '500', currency: 'JPY' });
  expect(await currencies()).toEqual(['JPY', 'JPY', none]);
});

test('adjacent days of a half-hour time zone share no hour, over both APIs', async () => {
  const page = await factories.page(app, workspaceId, 'Half');
  await record(page.id, ['a', hour(54, 10)], ['b', hour(54, 50)], ['c', hour(30, 29)], ['d', hour(30, 31)]);
  const days = [hour(78, 30), hour(54, 30), hour(30, 30), hour(6, 30)];
  let views = 0;
  let last: string | null = null;
  for (const [index, start] of days.slice(0, -1).entries()) {
    const end = days[index + 1];
    const { timerange, step } = await statsOf(
      `pages/${page.id}/stats?timerange_start=${start}&timerange_end=${end}`,
    );
    const { from, to } = timerange as { from: string; to: string };
    expect(last ?? from).toBe(from);
    last = to;
    views += (step as { views_all: number }).views_all;
    const query = `{ page(by: { databaseId: ${page.id} }) { stats(from: "${start}", to: "${end}") { from to } } }`;
    expect((await post(gateway, { query }, { caller })).data).toEqual({ page: { stats: timerange } });
  }
  expect(views).toBe(4);
  const within = `timerange_start=${hour(5, 10)}&timerange_end=${hour(5, 50)}`;
  const inOneHour = await statsOf(`pages/${page.id}/stats?${within}`);
  expect(inOneHour['timerange']).toEqual({ from: hour(5), to: hour(4) });
  // A client's present time is a moment in the past here.
  const now = `timerange_start=${hour(5)}&timerange_end=${new Date(Date.now() - 100).toISOString()}`;
  expect((await statsOf(`pages/${page.id}/stats?${now}`))['timerange']).toEqual({
    from: hour(5),
    to: new Date(Math.ceil((Date.now() - 100) / HOUR_MS) * HOUR_MS).toISOString(),
  });
});

test('a span ends now at the latest, over both faces', async () => {
  const page = await factories.page(app, workspaceId, 'Tomorrow');
  const funnel = await factories.funnel(app, { workspaceId });
  for (const end of [hour(-5), '2126-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
    for (const path of [`pages/${page.id}`, `funnels/${funnel.id}`]) {
      const { timerange } = await statsOf(`${path}/stats?timerange_start=${hour(2)}&timerange_end=${end}`);
      expect([path, end, timerange]).toEqual([path, end, { from: hour(2), to: hour(-1) }]);
    }
    const query = `{ funnel(by: { databaseId: ${funnel.id} }) { stats(from: "${hour(2)}", to: "${end}") { to } } }`;
    expect((await post(gateway, { query }, { caller })).data).toEqual({
      funnel: { stats: { to: hour(-1) } },
    });
  }
  const future = `timerange_start=${hour(-2)}&timerange_end=${hour(-5)}`;
  expect(await client.refused(422, 'GET', `/api/v2/pages/${page.id}/stats?${future}`)).toEqual([
    'timerange_start',
  ]);
});

test('a span that ends before it begins is refused, also within an hour', async () => {
  const page = await factories.page(app, workspaceId, 'Reversed');
  const path = `/api/v2/pages/${page.id}/stats`;
  for (const [start, end] of [
    [hour(5, 40), hour(5, 10)],
    [hour(5, 40), hour(5, 40)],
  ])
    expect(await client.refused(422, 'GET', `${path}?timerange_start=${start}&timerange_end=${end}`)).toEqual(
      ['timerange_start'],
    );
});

test.each([
  ['timerange_start', 'yesterday'],
  ['timerange_end', '2026-13-01T00:00:00Z'],
  ['timerange_start', '2000-01-01T00:00:00Z'],
  ['timerange_start', hour(-5)],
  // The last 30 days would be shown instead.
  ['timerange[start]', hour(5)],
  ['timerange', hour(5)],
  ['time_range_end', hour(5)],
  ['timerangeStart', hour(5)],
  ['timerage_start', hour(5)],
])('%s=%s is refused', async (name, value) => {
  const page = await factories.page(app, workspaceId, 'Refused');
  for (const path of [`pages/${page.id}`, `funnels/${(await factories.funnel(app, { workspaceId })).id}`])
    expect(await client.refused(422, 'GET', `/api/v2/${path}/stats?${name}=${value}`)).toEqual([name]);
});

test('a sale is counted once, when it is paid: at once, later, or at a renewal; refunds are not sales', async () => {
  const page = await factories.page(app, workspaceId, 'Sales');
  const { id: contactId } = (await client.create()).body;
  const sales = async () => (await statsOf(`pages/${page.id}/stats`))['step'];
  const later = await order(page.id, contactId, { billing_status: 'unpaid' });
  expect(await sales()).toMatchObject({ sales_count: 0, sales_value: '0.00' });
  const change = (id: number, billing_status: string) =>
    client.send('PUT', `/api/v2/orders/${id}`, { order: { billing_status } });
  for (const status of ['paid', 'paid', 'disputed', 'paid', 'refunded'])
    expect([status, (await change(later.id, status)).status]).toEqual([status, 200]);
  expect(await sales()).toMatchObject({ sales_count: 1, sales_value: '12.00' });

  const subscription = await order(page.id, contactId, { order_type: 'subscription-order' });
  const ordered = subscription['line_items'] as Record<
    'products_variant' | 'products_price',
    { id: number }
  >[];
  const lines = ordered.map(({ products_variant: { id: variant_id }, products_price: { id } }) => ({
    ...{ variant_id, products_price_id: id },
  }));
  for (const invoice_type of ['renewal', 'refund', 'cancellation']) {
    const { status, text } = await client.send('POST', `/api/v2/orders/${subscription.id}/invoices`, {
      orders_invoice: {
        ...{ external_id: invoice_type, status: 'paid', invoice_type },
        line_items_attributes: lines.map((one) => ({
          ...one,
          external_id: 'l',
          quantity: 1,
          amount: '12.00',
        })),
      },
    });
    expect([status, text]).toEqual([201, text]);
  }
  expect(await sales()).toMatchObject({
    sales_count: 2,
    recurring_sales_count: 1,
    recurring_sales_value: '12.00',
  });
  const { counted, raw } = await countedAndRaw(app, workspaceId);
  expect(counted).toEqual(raw);
});

test('an order refers to a page of its workspace', async () => {
  const other = await factories.workspace(app, { teamId: client.teamId });
  const { id } = await factories.page(app, other.id, 'Elsewhere');
  const goods = await offer(app, workspaceId);
  const { id: contactId } = (await client.create()).body;
  const members = {
    contact_id: contactId,
    live_mode: true,
    order_type: 'one-time-order',
    page_id: Number(id),
  };
  const fields = await client.refused(422, 'POST', `/api/v2/workspaces/${workspaceId}/orders`, {
    order: { ...members, line_items_attributes: [line(goods)] },
  });
  expect(fields).toEqual(['page_id']);
});

test('the tree of a funnel is read once in an operation, and those of many funnels together', async () => {
  const funnels = await Promise.all([1, 2, 3].map(() => factories.funnel(app, { workspaceId })));
  for (const funnel of funnels) await factories.workflow(app, funnel, ['Start', 'End']);
  const [first] = funnels;
  const fields = (name: string, args = '') => `${name}: stats${args} { views series { day } }`;
  const ask = (query: string) => async () => {
    const { errors } = await post(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
  };
  const aliases = Array.from({ length: 20 }, (_, index) => fields(`s${index}`)).join(' ');
  const ofOne = ask(
    `{ funnel(by: { databaseId: ${first?.id} }) { ${aliases} ${fields('t', `(from: "${hour(9)}")`)} } }`,
  );
  const read = (names: string[]) =>
    names.filter((name) => /^(funnel_steps|page_hours)/.test(name)).toSorted();
  expect(read(await statementsOf(gateway, ofOne))).toEqual([
    'funnel_steps.of_funnels',
    ...['page_hours.by_day', 'page_hours.by_day', 'page_hours.by_page', 'page_hours.by_page'],
  ]);
  const ofAll = ask(
    `{ ${funnels.map(({ id }, index) => `f${index}: funnel(by: { databaseId: ${id} }) { stats { views } }`).join(' ')} }`,
  );
  expect(read(await statementsOf(gateway, ofAll))).toEqual(['funnel_steps.of_funnels', 'page_hours.by_page']);
});

test('the pages of a list are counted together, as are their days', async () => {
  const { id } = await factories.workspace(app, { teamId: client.teamId });
  const pages = [];
  for (const name of ['One', 'Two', 'Three']) pages.push(await factories.page(app, id, name));
  const [funnel, seen] = [await factories.funnel(app, { workspaceId: id }), pages[1]];
  await factories.workflow(app, funnel, ['Start', 'End']);
  const visit = { uuid: randomUUID(), visitor_id: 'v' };
  expect((await client.send('POST', `/api/v2/pages/${seen?.id}/visits`, { visit })).status).toBe(202);
  const selection = 'stats { page { name } views series { day views } }';
  const query = `{ workspace(by: { databaseId: ${id} }) {
    pages(first: 5) { nodes { ${selection} } } } }`;
  let nodes: unknown;
  const names = await statementsOf(gateway, async () => {
    const { data, errors } = await post<Listed>(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
    nodes = data?.workspace.pages.nodes;
  });
  const none = (name: string) => ({ stats: { page: { name }, views: 0, series: [] } });
  expect(nodes).toEqual([
    none('One'),
    { stats: { page: { name: 'Two' }, views: 1, series: [{ day: expect.any(String), views: 1 }] } },
    ...[none('Three'), none('Start'), none('End')],
  ]);
  expect(
    names.filter((name) => /^(funnel_steps|page_hours|pages)\.(show|by|id)/.test(name)).toSorted(),
  ).toEqual(['funnel_steps.showing', ...['page_hours.by_day', 'page_hours.by_page', 'pages.ids']]);
});

test('another team’s page and funnel are not found', async () => {
  const stranger = await createRestClient(gateway);
  const page = await factories.page(app, workspaceId, 'Ours');
  const funnel = await factories.funnel(app, { workspaceId });
  for (const path of [`pages/${page.id}`, `funnels/${funnel.id}`])
    expect((await stranger.send('GET', `/api/v2/${path}/stats`)).status).toBe(404);
});
