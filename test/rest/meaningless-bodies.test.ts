// Bodies without a known member, for every route with a body: they are refused, and the error lists the members.
import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/resources/description/fields.ts';
import { ownNameOf, pluralOf, restNameOf } from '../../src/resources/description/names.ts';
import { routes } from '../../src/rest/nouns.ts';
import type { Route } from '../../src/rest/route.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { CHANGEABLE, digest } from '../support/hostile.ts';
import { sampleAt } from '../support/nightly.ts';
import {
  createTenant,
  OPERATIONS,
  type Operation,
  sampleOperations,
  type Tenant,
} from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await ownGateway();
const teamId = (await factories.team(gateway.app)).id;
const tenant = await createTenant(gateway.app, 'ours', teamId);
const caller = await factories.apiKey(gateway.app, { teamId });

interface Taking {
  readonly route: Route;
  readonly operation: Operation;
  /** The names of the members of the body. */
  readonly names: readonly string[];
  /** The body of a valid request. */
  readonly members: object;
  readonly wrapper: string | undefined;
}

/** Every route that takes a body. */
const TAKING: readonly (Taking & { name: string })[] = routes.flatMap((route) => {
  const { method, path, body } = route;
  // Visits are not a noun; their bodies are tested with them.
  if (body === undefined || path.endsWith('/visits')) return [];
  const name = `${method} ${path}`;
  const operation = OPERATIONS.find((one) => one.route === name);
  if (operation === undefined) throw new Error(`No request is known for ${name}`);
  const [schema] = Object.values(body.components?.() ?? {});
  const [wrapped] = (body.schema['anyOf'] ?? []) as { readonly required: readonly [string] }[];
  const wrapper = wrapped?.required[0];
  const given = operation.body?.({
    ...{ workspace: { id: 1n }, tag: { id: 1n }, page: { id: 1n }, freePage: { id: 1n } },
    rows: {},
  } as unknown as Tenant) as Record<string, object> | undefined;
  const members = (wrapper === undefined ? given : given?.[wrapper]) ?? {};
  return [{ name, route, operation, names: Object.keys(schema?.['properties'] ?? {}), members, wrapper }];
});
const WRAPPED = TAKING.flatMap(({ wrapper, ...taking }) =>
  wrapper === undefined || taking.operation.body === undefined ? [] : [{ ...taking, wrapper }],
);

test('every noun in bodies has a unique name, with which its wrapper ends', () => {
  for (const { route, wrapper } of WRAPPED) {
    expect(ownNameOf(route.resource)).toMatch(/^[a-z_]+$/);
    expect(wrapper.endsWith(ownNameOf(route.resource))).toBe(true);
  }
  expect(WRAPPED.length).toBeGreaterThan(8);
});

const send = ({ operation, route }: Taking, to: Tenant, body: unknown) =>
  gateway.send(operation.path(to), {
    ...{ caller, method: route.method, headers: { 'Content-Type': 'application/json' } },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function expectRefused(taking: Taking, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) {
    const { detail } = await expectProblem(await send(taking, tenant, body), 'invalid');
    const list = /Give at least one of these: (.*)\.$/.exec(detail)?.[1]?.split(', ');
    expect([body, list]).toEqual([body, taking.names]);
  }
}

/** Where a part is tried. */
function sampled<T extends Taking>(place: string, all: readonly T[]): readonly T[] {
  const tried = new Set(sampleOperations(place, OPERATIONS, 2));
  return all.filter(({ operation }) => tried.has(operation));
}

/** Its team has nothing else. */
const apart = await createTenant(gateway.app, 'apart');
const callerApart = await factories.apiKey(gateway.app, { teamId: apart.team.id });

const before = await digest(gateway, CHANGEABLE);

/** Bodies without any member. */
const emptyBodies = ({ wrapper }: Pick<Taking, 'wrapper'>) => [
  ...['', 'null', '[]', '{}'],
  ...(wrapper ? ['{}', 'null', '[]'] : []).map((text) => `{"${wrapper}":${text}}`),
];

describe.each(sampled('meaningless', TAKING))('$name', (taking) => {
  const { members, wrapper, route } = taking;
  const own = ownNameOf(route.resource);

  test('refuses only unknown members, and lists the known ones', async () => {
    const unknown = [
      { nonsense: 1 },
      { data: members, meta: {} },
      { data: { ...members, nonsense: 1 } },
      { [`${own}_data`]: members },
      { [pluralOf(own)]: { nonsense: 1 } },
      { [pluralOf(own)]: members, nonsense: 1 },
      { [`my_${own}`]: 'text' },
      { [`my_${own}`]: [members] },
      { __proto__x: members, constructor: members },
    ].filter((body) => wrapper !== undefined || !Object.keys(body).some((name) => name.endsWith(own)));
    const inside =
      wrapper === undefined ? [] : [{ nonsense: 1 }, { [wrapper]: members }, { [pluralOf(own)]: members }];
    const bodies = [...unknown, ...inside.map((held) => ({ [String(wrapper)]: held }))];
    await expectRefused(taking, sampleAt(taking.name, bodies, 4));
  });

  test.runIf(route.body?.required)('refuses an empty body', () =>
    expectRefused(taking, sampleAt(taking.name, emptyBodies(taking), 2)),
  );
});

test('afterwards nothing is changed', async () => expect(await digest(gateway, CHANGEABLE)).toEqual(before));

// A creation that may be empty makes something.
const NEEDING_NONE = TAKING.filter(
  ({ route, operation }) => route.body?.required !== true && operation.success !== 201,
);

test.each(sampled('empty', NEEDING_NONE))(
  '$name changes nothing where nothing at all is given',
  async (taking) => {
    // What was won cannot be lost.
    const to = await createTenant(gateway.app, 'empty', teamId);
    for (const body of sampleAt(taking.name, emptyBodies(taking), 3))
      expect([body, (await send(taking, to, body)).status]).toEqual([body, 200]);
  },
);

test.each(sampled('wrapped', WRAPPED))(
  '$name accepts any single member as a wrapper if its name ends in the noun’s',
  async (taking) => {
    const { operation, wrapper, route } = taking;
    const own = ownNameOf(route.resource);
    const names = [own, pluralOf(own), `workspaces_${own}`, `my_${pluralOf(own)}`, pluralOf(wrapper)];
    for (const name of sampleAt(taking.name, names, 5)) {
      const to = await createTenant(gateway.app, 'wrapped', teamId);
      const given = operation.body?.(to) as Record<string, object> | undefined;
      // The body of a reordering is given without its wrapper.
      const members = given?.[wrapper] ?? given ?? {};
      // A member of the noun is not a wrapper.
      if (name in members) continue;
      const response = await send(taking, to, { [name]: members });
      const answered = [name, response.status, await response.clone().text()];
      expect(answered).toEqual([name, operation.success, expect.any(String)]);
      if (response.status === 204) continue;
      const shown = (await response.json()) as object;
      // Shown only with `expand[]`.
      const expanded = Object.entries<Field>(route.resource.fields).flatMap(([property, field]) =>
        field.expand === true ? [restNameOf(property, field)] : [],
      );
      const isShown = ([member]: [string, unknown]) =>
        !['tag_id', 'products_price_id', ...expanded].includes(member) && !member.endsWith('_attributes');
      // Ids are given as text.
      const asText = ([member, value]: [string, unknown]) => [
        member,
        typeof value === 'string' ? String((shown as Record<string, unknown>)[member]) : value,
      ];
      const expected = Object.entries(members).filter(isShown);
      expect({ ...shown, ...Object.fromEntries(expected.map(asText)) }).toMatchObject(
        Object.fromEntries(expected),
      );
    }
  },
);

describe.each(
  OPERATIONS.filter((operation) =>
    routes.some(
      ({ method, path, body }) =>
        method === 'POST' && body === undefined && operation.route === `${method} ${path}`,
    ),
  ),
)('$route, which takes no body', ({ route, path, success }) => {
  const method = 'POST';
  const sendTo = (to: Tenant, body: string, as = caller) =>
    gateway.send(path(to), {
      ...{ caller: as, method },
      headers: { 'Content-Type': 'application/json' },
      body,
    });

  test('refuses a body with content, which it would ignore', async () => {
    const to = apart;
    const was = await digest(gateway, CHANGEABLE, to.team.id);
    const wrapped = `{"${ownNameOf(resourceOf(route))}":{"name":"text"}}`;
    for (const body of [
      '{"nonsense":1}',
      wrapped,
      '[1]',
      'true',
      '"text"',
      '{',
      `{"a":"${'x'.repeat(2_000)}"}`,
    ]) {
      const problem = await expectProblem(await sendTo(to, body, callerApart), 'invalid');
      expect([body, problem.errors]).toMatchObject([body, [{ field: 'body' }]]);
    }
    expect(await digest(gateway, CHANGEABLE, to.team.id)).toEqual(was);
  });

  test.each(sampleAt(route, ['', ' ', '{}', '{ }', '[]', 'null', '{"any_wrapper": {}}'], 4))(
    'takes %j for none',
    async (body) => {
      const to = await createTenant(gateway.app, 'acted', teamId);
      expect((await sendTo(to, body)).status).toBe(success);
    },
  );
});

function resourceOf(name: string): Route['resource'] {
  const found = routes.find(({ method, path }) => name === `${method} ${path}`);
  return found?.resource ?? expect.fail();
}
