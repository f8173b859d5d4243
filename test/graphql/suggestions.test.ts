// Error messages suggest names of the schema to callers whose credentials are valid, and to nobody where INTROSPECTION is off.
import { afterAll, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';

const gateways: Gateway[] = [];
/** Callers by name, in a gateway with and in one without introspection. */
const callers = new Map<string, { gateway: Gateway; caller: Caller }>();

for (const INTROSPECTION of ['on', 'off']) {
  const gateway = await createGateway({ env: { INTROSPECTION } });
  gateways.push(gateway);
  const { id: teamId } = await factories.team(gateway.app);
  const who = {
    'a valid key': await factories.apiKey(gateway.app, { teamId }),
    'a revoked key': await factories.apiKey(gateway.app, {
      teamId,
      revokedAt: new Date(0),
      createdAt: new Date(0),
    }),
    'an unknown key': { authorization: 'Bearer nothing' },
    nobody: anonymous,
  };
  for (const [name, caller] of Object.entries(who))
    callers.set(`${name}, introspection ${INTROSPECTION}`, { gateway, caller });
}
afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

const WRONG: readonly [string, { query: string; variables?: unknown }][] = [
  ['a field', { query: '{ viewer { knd } }' }],
  ['a type', { query: 'query ($a: Contct) { __typename }' }],
  ['an argument', { query: '{ __type(nam: "Query") { name } }' }],
  ['a value of an enum', { query: '{ viewer { teams(orderBy: { direction: ASCC }) { __typename } } }' }],
  [
    'a member of an input',
    { query: 'mutation { createContact(input: { emailAddres: "x" }) { __typename } }' },
  ],
  [
    'a value of an enum in a variable',
    {
      query: 'query ($a: SortDirection) { viewer { teams(orderBy: { direction: $a }) { __typename } } }',
      variables: { a: 'ASCC' },
    },
  ],
  [
    'a member of an input in a variable',
    {
      query: 'mutation ($a: CreateContactInput!) { createContact(input: $a) { __typename } }',
      variables: { a: { emailAddres: 'x' } },
    },
  ],
];

describe.each(WRONG)('a wrong name of %s', (_what, operation) => {
  test.each([
    ['a valid key, introspection on', true],
    ['a revoked key, introspection on', false],
    ['an unknown key, introspection on', false],
    ['nobody, introspection on', false],
    ['a valid key, introspection off', false],
    ['nobody, introspection off', false],
  ])('is told to %s: %s', async (name, suggested) => {
    const { gateway, caller } = callers.get(name) ?? expect.fail(name);
    const { errors } = await post(gateway, operation, { caller });
    expect(errors?.length).toBeGreaterThan(0);
    const text = JSON.stringify(errors);
    expect(/did you mean/i.test(text)).toBe(suggested);
  });
});
