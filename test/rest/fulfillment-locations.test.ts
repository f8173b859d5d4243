// The address of a location: an object of which a change merges the members, over both faces.
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const client = await createRestClient(gateway);
const LOCATIONS = `/api/v2/workspaces/${client.workspaceId}/fulfillments/locations`;
const GIVEN = { name: 'Warehouse', address_name: 'Us', email_address: 'us@example.com' };
const NOTHING = {
  ...{ address_one: null, address_two: null, city: null, region: null, postal_code: null, country: null },
};

test('has every member from the start; a change keeps the members that it does not contain', async () => {
  const given = { ...GIVEN, address: { address_one: '1 Road', city: 'Innsbruck', county: 'ignored' } };
  const made = await client.send('POST', LOCATIONS, { fulfillments_location: given });
  const there = { ...NOTHING, address_one: '1 Road', city: 'Innsbruck' };
  expect(made.body).toMatchObject({
    ...GIVEN,
    address: there,
    archived: false,
    sort_order: null,
    external_app: null,
  });
  const member = `/api/v2/fulfillments/locations/${made.body.id}`;
  expect((await client.send('GET', member)).body).toEqual(made.body);
  const changed = { address: { city: null, country: 'AT' }, archived: true };
  const answer = await client.send('PUT', member, { fulfillments_location: changed });
  const after = { ...there, city: null, country: 'AT' };
  expect(answer.body).toMatchObject({ address: after, archived: true, archived_at: expect.any(String) });
  const query = `mutation ($input: UpdateFulfillmentLocationInput!) {
    updateFulfillmentLocation(input: $input) { fulfillmentLocation { archived: isArchived address { name streetOne streetTwo city country formatted } } }
  }`;
  const fulfillmentLocationId = btoa(`FulfillmentLocation:${made.body.id}`);
  // Over GraphQL an address is replaced as a whole.
  const address = { name: 'Us', streetTwo: 'Hall 3', country: 'AT' };
  const input = { fulfillmentLocationId, address };
  expect((await post(gateway, { query, variables: { input } }, client)).data).toEqual({
    updateFulfillmentLocation: {
      fulfillmentLocation: {
        archived: true,
        address: {
          ...{ ...address, streetOne: null, city: null },
          formatted: ['Us', 'Hall 3', 'AT'],
        },
      },
    },
  });
  const { body } = await client.send('GET', member);
  expect(body['address']).toEqual({ ...after, address_one: null, address_two: 'Hall 3' });
  expect(body['address_name']).toBe('Us');
});

test('an error in a member has its place', async () => {
  for (const [address, field] of [
    [{ city: 5 }, 'address.city'],
    [{ city: 'x'.repeat(256) }, 'address.city'],
    [{ city: 'a\0b' }, 'address.city'],
    ['', 'address'],
    [['Innsbruck'], 'address'],
  ])
    expect(await client.refused(422, 'POST', LOCATIONS, { ...GIVEN, address })).toEqual([field]);
});

test('null for the address is the same as no address', async () => {
  for (const address of [undefined, null]) {
    const without = await client.send('POST', LOCATIONS, { ...GIVEN, address });
    expect([without.status, without.body['address']]).toEqual([201, NOTHING]);
  }
  const { body } = await client.send('POST', LOCATIONS, { ...GIVEN, address: { city: 'Innsbruck' } });
  const changed = await client.send('PUT', `/api/v2/fulfillments/locations/${body.id}`, { address: null });
  expect([changed.status, changed.body['address']]).toEqual([200, { ...NOTHING, city: 'Innsbruck' }]);
});
