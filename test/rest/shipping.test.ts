// Shipping over REST: the rules between its nouns.
import { beforeEach, describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

let client: RestClient;

const gateway = await sharedGateway();
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const inWorkspace = (rest: string) => `/api/v2/workspaces/${client.workspaceId}/${rest}`;

async function created(path: string, members: object) {
  const { status, text, body } = await client.send('POST', path, members);
  expect([status, text]).toEqual([201, text]);
  return body;
}

async function list(path: string) {
  const { text } = await client.send('GET', path);
  return JSON.parse(text) as Record<string, unknown>[];
}

const actionsOf = async (subjectType: string) =>
  (
    await prismaOf(gateway.app.store).auditEntry.findMany({
      where: { workspaceId: client.workspaceId, subjectType },
      orderBy: { id: 'asc' },
    })
  ).map(({ action, subjectId }) => [action, Number(subjectId)]);

describe('a package', () => {
  const PACKAGE = {
    name: 'Box',
    package_type: 'box',
    distance_unit: 'cm',
    length: 30,
    width: 20.5,
    height: 10,
  };
  const create = (members: object = {}) =>
    created(inWorkspace('shipping/packages'), { shipping_package: { ...PACKAGE, ...members } });
  const defaults = async () =>
    (await list(inWorkspace('shipping/packages')))
      .filter((one) => one['default_package'])
      .map(({ id }) => id);

  test('has every member, with sizes as the sent numbers', async () => {
    const { id } = await create({ weight: 0.25, weight_unit: 'kg', empty_weight: '0.1', carrier: 'ups' });
    const { body } = await client.send('GET', `/api/v2/shipping/packages/${id}`);
    expect(body).toMatchObject({
      ...{ ...PACKAGE, weight: 0.25, weight_unit: 'kg', empty_weight: '0.1', carrier: 'ups' },
      ...{ default_package: false, token: null, workspace_id: Number(client.workspaceId) },
    });
  });

  test.each([
    ['length', 0],
    ['width', -1],
    ['height', 0],
    ['weight', -0.5],
    ['empty_weight', '-1'],
    ['package_type', 'tube'],
  ])('is refused with %s %s', async (member, value) => {
    const given = { shipping_package: { ...PACKAGE, [member]: value } };
    expect(await client.refused(422, 'POST', inWorkspace('shipping/packages'), given)).toEqual([member]);
  });

  test('that becomes the default replaces the previous one, which is recorded for both', async () => {
    const first = await create({ default_package: true });
    const second = await create({ default_package: true });
    expect(await defaults()).toEqual([second.id]);
    const was = await client.send('GET', `/api/v2/shipping/packages/${first.id}`);
    expect(Date.parse(String(was.body['updated_at']))).toBeGreaterThan(
      Date.parse(String(first['updated_at'])),
    );
    await client.send('PUT', `/api/v2/shipping/packages/${first.id}`, { default_package: true });
    expect(await defaults()).toEqual([first.id]);
    await client.send('PUT', `/api/v2/shipping/packages/${first.id}`, { name: 'Other' });
    expect(await actionsOf('Shipping::Package')).toEqual([
      ['shipping/package.created', first.id],
      ['shipping/package.created', second.id],
      ['shipping/package.updated', first.id],
      ['shipping/package.updated', first.id],
      ['shipping/package.updated', second.id],
      ['shipping/package.updated', first.id],
    ]);
  });

  test('is the only default, whatever happens concurrently', async () => {
    const there = await Promise.all(['a', 'b', 'c'].map((name) => create({ name })));
    const answers = await Promise.all([
      ...there.map(({ id }) =>
        client.send('PUT', `/api/v2/shipping/packages/${id}`, { default_package: true }),
      ),
      ...['d', 'e'].map((name) =>
        client.send('POST', inWorkspace('shipping/packages'), { ...PACKAGE, name, default_package: true }),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201, 201]);
    expect(await defaults()).toHaveLength(1);
  });
});

describe('a profile', () => {
  const create = (members: object = {}) =>
    created(inWorkspace('shipping/profiles'), { shipping_profile: { name: 'General', ...members } });
  const LOCATION = { name: 'Warehouse', address_name: 'Us', address: {}, email_address: 'us@example.com' };

  test('has one location group from the start, with all locations that are not archived', async () => {
    const { id } = await create();
    const groups = `/api/v2/shipping/profiles/${id}/location_groups`;
    const [one] = await list(groups);
    expect(one).toMatchObject({ profile_id: id, name: 'All locations', fulfillments_location_ids: [] });
    const there = await created(inWorkspace('fulfillments/locations'), { fulfillments_location: LOCATION });
    const archived = { fulfillments_location: { ...LOCATION, archived: true } };
    await created(inWorkspace('fulfillments/locations'), archived);
    expect((await client.send('GET', `/api/v2/shipping/location_groups/${one?.['id']}`)).body).toEqual({
      ...one,
      fulfillments_location_ids: [there.id],
    });
    expect(await actionsOf('Shipping::LocationGroup')).toEqual([
      ['shipping/location_group.created', one?.['id']],
    ]);
    expect((await client.send('DELETE', `/api/v2/shipping/location_groups/${one?.['id']}`)).status).toBe(405);
  });

  test('has a variant that no other profile has', async () => {
    const offers = await Promise.all(Array.from({ length: 4 }, () => offer(gateway.app, client.workspaceId)));
    const [a = 0, b = 0, c = 0, d = 0] = offers
      .map(({ variantId }) => Number(variantId))
      .sort((x, y) => x - y);
    const first = await create({ variant_ids: [a, b] });
    const profiles = inWorkspace('shipping/profiles');
    const given = { shipping_profile: { name: 'Other', variant_ids: [b, c] } };
    expect(await client.refused(422, 'POST', profiles, given)).toEqual(['variant_ids']);
    const second = await create({ variant_ids: [c] });
    const member = `/api/v2/shipping/profiles/${second.id}`;
    expect(await client.refused(422, 'PUT', member, { variant_ids: [a, c] })).toEqual(['variant_ids']);
    expect(await client.refused(422, 'PUT', member, { variant_ids: [c, c] })).toEqual(['variant_ids']);
    expect(
      (await client.send('PUT', `/api/v2/shipping/profiles/${first.id}`, { variant_ids: [b] })).status,
    ).toBe(200);
    expect((await client.send('PUT', member, { variant_ids: [a, c] })).body['variant_ids']).toEqual([a, c]);
    const answers = await Promise.all(
      ['x', 'y'].map((name) => client.send('POST', profiles, { name, variant_ids: [d] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  test('is deleted with its groups, zones and rates', async () => {
    const { id } = await create();
    const [group] = await list(`/api/v2/shipping/profiles/${id}/location_groups`);
    const zones = `/api/v2/shipping/location_groups/${group?.['id']}/zones`;
    const zone = await created(zones, { shipping_zone: { name: 'Home' } });
    const name = await created(inWorkspace('shipping/rates/names'), {
      shipping_rates_name: { name: 'Slow' },
    });
    const rate = await created(`/api/v2/shipping/zones/${zone.id}/rates`, {
      shipping_rate: { price: '5', price_currency: 'EUR', rates_name_id: name.id },
    });
    expect((await client.send('DELETE', `/api/v2/shipping/profiles/${id}`)).status).toBe(204);
    for (const path of [`location_groups/${group?.['id']}`, `zones/${zone.id}`, `rates/${rate.id}`])
      expect((await client.send('GET', `/api/v2/shipping/${path}`)).status).toBe(404);
    expect((await client.send('GET', `/api/v2/shipping/rates/names/${name.id}`)).status).toBe(200);
  });
});

describe('a zone and its rates', () => {
  let zones: string;
  let nameId: number;

  beforeEach(async () => {
    const { id } = await created(inWorkspace('shipping/profiles'), { name: 'General' });
    const [group] = await list(`/api/v2/shipping/profiles/${id}/location_groups`);
    zones = `/api/v2/shipping/location_groups/${group?.['id']}/zones`;
    nameId = (await created(inWorkspace('shipping/rates/names'), { name: 'Express' })).id;
  });

  test('places are codes; numbers become text', async () => {
    const zone = await created(zones, {
      shipping_zone: { name: 'Home', country_ids: ['US', 840], region_ids: null },
    });
    expect(zone).toMatchObject({ country_ids: ['US', '840'], region_ids: null, address_filter_id: null });
    for (const country_ids of [[1.5], [{}], [''], ['x'.repeat(101)], 'US'])
      expect(await client.refused(422, 'POST', zones, { name: 'Home', country_ids })).toEqual([
        'country_ids',
      ]);
  });

  test('one zone of a group covers the rest of the world', async () => {
    const first = await created(zones, { name: 'World', includes_rest_of_world: true });
    const again = { name: 'World too', includes_rest_of_world: true };
    expect(await client.refused(422, 'POST', zones, again)).toEqual(['includes_rest_of_world']);
    await client.send('PUT', `/api/v2/shipping/zones/${first.id}`, { includes_rest_of_world: false });
    await created(zones, again);
  });

  test('a price has the decimal places of its currency, by default USD', async () => {
    const zone = await created(zones, { name: 'Home' });
    const rates = `/api/v2/shipping/zones/${zone.id}/rates`;
    const rate = { rates_name_id: nameId };
    expect(await created(rates, { ...rate, price: '5' })).toMatchObject({
      ...{ price: '5.00', price_currency: 'USD', rates_name_id: nameId, zone_id: zone.id },
      ...{ description: null, provider_name: null, live_rates_provider: null },
    });
    expect(await created(rates, { ...rate, price: '500', price_currency: 'JPY' })).toMatchObject({
      price: '500',
    });
    for (const [price, price_currency] of [
      ['5.001', 'EUR'],
      ['5.1', 'JPY'],
      ['-1', 'EUR'],
    ])
      expect(await client.refused(422, 'POST', rates, { ...rate, price, price_currency })).toEqual(['price']);
    const elsewhere = await createRestClient(gateway, client.teamId);
    const other = await elsewhere.send(
      'POST',
      `/api/v2/workspaces/${elsewhere.workspaceId}/shipping/rates/names`,
      { name: 'Theirs' },
    );
    expect(await client.refused(422, 'POST', rates, { price: '1', rates_name_id: other.body.id })).toEqual([
      'rates_name_id',
    ]);
  });

  test('a name is unique, and stays while rates use it: 409 lists them', async () => {
    const names = inWorkspace('shipping/rates/names');
    expect(await client.refused(422, 'POST', names, { name: 'Express' })).toEqual(['name']);
    const zone = await created(zones, { name: 'Home' });
    const made = [];
    for (let count = 0; count < 6; count++)
      made.push(
        (await created(`/api/v2/shipping/zones/${zone.id}/rates`, { price: '1', rates_name_id: nameId })).id,
      );
    await client.refused(409, 'DELETE', `/api/v2/shipping/rates/names/${nameId}`);
    const refused = await client.send('DELETE', `/api/v2/shipping/rates/names/${nameId}`);
    expect(refused.body['detail']).toContain(
      `by the shipping rates ${made.slice(0, 5).join(', ')} and others and was not deleted.`,
    );
    expect((await client.send('DELETE', `/api/v2/shipping/zones/${zone.id}`)).status).toBe(204);
    expect((await client.send('DELETE', `/api/v2/shipping/rates/names/${nameId}`)).status).toBe(204);
  });
});
