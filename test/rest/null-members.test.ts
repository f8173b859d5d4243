// Clients with types of their own send every member: null where they have no value, and "" for a number, an id, a time or one of a few
// texts. Every optional member of every body takes both: on creation it is not given, on a change it is cleared or stays.
import { describe, expect, test } from 'vitest';
import { routes } from '../../src/rest/nouns.ts';
import type { Schema } from '../../src/rest/schemas.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';
import {
  createTenant,
  OPERATIONS,
  type Operation,
  sampleOperations,
  type Tenant,
} from '../support/operations.ts';

const gateway = await ownGateway({ env: { LOOKUP_CACHE_MS: '60000' } });
const teamId = (await factories.team(gateway.app)).id;
const caller = await factories.apiKey(gateway.app, { teamId });

type Members = Readonly<Record<string, unknown>>;

/** Null is refused if an absent member has another effect. */
const REFUSES_NULL = ['POST /api/v2/orders/transactions/:id/refund amount'];
/** What is compared may be any JSON: null and "" are values. */
const ANY_JSON = /^criteria\[\]\.value/;

/** A body, and what of it is optional. */
interface Taking {
  readonly name: string;
  readonly isCreation: boolean;
  readonly operation: Operation;
  readonly wrapper: string | undefined;
  /** The optional members, by name, including those of one item of objects and lists, as `list[].member`. */
  readonly optional: readonly { readonly path: string; readonly schema: Schema }[];
}

const alternativesOf = (schema: Schema): Schema[] => {
  const { anyOf, type, ...rest } = schema as { anyOf?: Schema[]; type?: string | string[] };
  return anyOf?.flatMap(alternativesOf) ?? [type ?? []].flat().map((one) => ({ ...rest, type: one }));
};

/** Whether "" is not a value of its own. */
function isNoText(schema: Schema): boolean {
  const all = alternativesOf(schema).filter(({ type }) => type !== 'null');
  const isSimple = all.every(({ type }) => !['array', 'object'].includes(String(type)));
  return (
    isSimple &&
    all.every(
      ({ type, ...rest }) =>
        type !== 'string' || 'enum' in rest || 'pattern' in rest || 'format' in rest || all.length > 1,
    )
  );
}

function optionalIn(schema: Schema, prefix = ''): { path: string; schema: Schema }[] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).flatMap(([name, one]) => {
    const path = `${prefix}${name}`;
    const below = alternativesOf(one).flatMap((of) =>
      of['type'] === 'object'
        ? optionalIn(of, `${path}.`)
        : of['type'] === 'array'
          ? optionalIn((of['items'] ?? {}) as Schema, `${path}[].`)
          : [],
    );
    return [...(required.includes(name) ? [] : [{ path, schema: one }]), ...below];
  });
}

const TAKING: readonly Taking[] = routes.flatMap(({ method, path, body }) => {
  if (body === undefined) return [];
  const name = `${method} ${path}`;
  const operation = OPERATIONS.find((one) => one.route === name) ?? expect.fail(`No request for ${name}`);
  const [schema = {}] = Object.values(body.components?.() ?? {});
  const [wrapped] = (body.schema['anyOf'] ?? []) as { readonly required: readonly [string] }[];
  const optional = optionalIn(schema);
  const isCreation = operation.success === 201;
  return [{ name, isCreation, operation, wrapper: wrapped?.required[0], optional }];
});

/** The members of a good request, with this value at a path; null where no item of the request is there. */
function withValue(members: Members, path: string, value: unknown): Members | null {
  const [, name = '', isList, rest] = /^(\w+)(\[\])?(?:\.?(.*))$/.exec(path) ?? [];
  if (!rest) return { ...members, [name]: value };
  const there = members[name];
  if (isList) {
    const [first, ...others] = (there ?? []) as Members[];
    const item = first && withValue(first, rest, value);
    return item ? { ...members, [name]: [item, ...others] } : null;
  }
  const inside = withValue((there ?? {}) as Members, rest, value);
  return inside && { ...members, [name]: inside };
}

function goodMembers({ operation, wrapper }: Taking, tenant: Tenant): Members {
  const given = (operation.body?.(tenant) ?? {}) as Record<string, Members>;
  // The body of a request may also be without its wrapper.
  return wrapper === undefined ? given : (given[wrapper] ?? given);
}

/** What differs between two objects that are made of the same. */
const OWN =
  /^(id|public_id|uuid|\w+_at|\w+_ids?|order_number|invoice_number|sort_order|url|webhook_secret|client_secret|token|hint|origination_\w+)$/;
const shared = (shown: Members) =>
  JSON.parse(
    JSON.stringify(shown, (name, value) =>
      OWN.test(name) ? undefined : typeof value === 'string' ? value.replaceAll(/\d+/g, '#') : value,
    ),
  );

async function send({ operation, wrapper, name }: Taking, tenant: Tenant, members: Members) {
  const body = JSON.stringify(wrapper === undefined ? members : { [wrapper]: members });
  const [method = ''] = name.split(' ');
  const headers = { 'Content-Type': 'application/json' };
  const response = await gateway.send(operation.path(tenant), { caller, method, headers, body });
  const text = await response.text();
  return { status: response.status, text, shown: text === '' ? {} : (JSON.parse(text) as Members) };
}

const tenantFor = () => createTenant(gateway.app, 'ours', teamId);

const TRIED = new Set(sampleOperations('null members', OPERATIONS, 2));

describe.each(TAKING.filter(({ operation }) => TRIED.has(operation)))('$name', (taking) => {
  const { name, isCreation, operation, optional } = taking;
  const taken = optional.filter(
    ({ path }) => !REFUSES_NULL.includes(`${name} ${path}`) && !ANY_JSON.test(path),
  );

  test('accepts null for all its optional members at once', async () => {
    const tenant = await tenantFor();
    const good = goodMembers(taking, tenant);
    const all = taken
      .filter(({ path }) => !path.includes('.') && !(path in good))
      .map(({ path }) => [path, null]);
    const { status, text } = await send(taking, tenant, { ...good, ...Object.fromEntries(all) });
    expect([status, text]).toEqual([operation.success, text]);
  });

  const values = taken.flatMap(({ path, schema }) =>
    [null, ...(isNoText(schema) ? [''] : [])].map((value) => ({ path, value })),
  );

  test.runIf(values.length > 0)('treats each null as absent, or clears the member', async () => {
    for (const { path, value } of sampleAt(name, values, 24)) {
      const tenant = await tenantFor();
      const other = isCreation || operation.isSummary ? await tenantFor() : tenant;
      const members = withValue(goodMembers(taking, tenant), path, value);
      const without = withValue(goodMembers(taking, other), path, undefined);
      if (members === null || without === null) continue;
      const plain = await send(taking, other, without);
      const { status, text, shown } = await send(taking, tenant, members);
      // A contact can be created of members without values, but not of none.
      const expected = [...new Set([plain.status, operation.success])];
      expect([path, value, expected, text]).toEqual([path, value, expect.arrayContaining([status]), text]);
      if (plain.status >= 400) continue;
      if (isCreation) expect([path, shared(shown)]).toEqual([path, shared(plain.shown)]);
      const was = plain.shown[path];
      // A change clears a member of an object, which is shown with its other members.
      if (!isCreation && !(was instanceof Object && !Array.isArray(was)))
        expect([path, [was, null, []]]).toEqual([path, expect.arrayContaining([shown[path]])]);
    }
  });
});
