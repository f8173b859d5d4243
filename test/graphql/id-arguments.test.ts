// Every argument and input field of the type ID takes global ids and nothing else, and the error says which field takes other ids.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant } from '../support/operations.ts';
import { idsOf, mutationsIn } from '../support/tenant-mutations.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'ids');
const ids = await idsOf(gateway.app, tenant);
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

/** The ways to the ids in a type: the names of the members. */
function placesIn(type: GraphQLInputType, above: readonly object[] = []): string[][] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID' ? [[]] : [];
  if (above.includes(named)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    placesIn(field.type, [...above, named]).map((place) => [field.name, ...place]),
  );
}

const TEXTS: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1,
  BigInt: 1,
  Boolean: true,
  ID: btoa('Nope:1'),
};

/** A value of a type with its required members. @param place where a text stands that is no global id */
function inputOf(type: GraphQLInputType, place: readonly string[] | null, id: string): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [inputOf(nullable.ofType, place, id)];
  if (isInputObjectType(nullable)) {
    const [name, ...rest] = place ?? [];
    const all = Object.values(nullable.getFields());
    const members = all.filter((field) => field.name === name || isRequiredInputField(field));
    if (nullable.isOneOf && members.length === 0) members.push(...all.slice(0, 1));
    return Object.fromEntries(
      members.map((field) => [field.name, inputOf(field.type, field.name === name ? rest : null, id)]),
    );
  }
  if (place !== null) return id;
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
  return TEXTS[getNamedType(nullable).name] ?? 'x';
}

interface Place {
  readonly of: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly arg: GraphQLArgument;
  readonly place: readonly string[];
}

const PLACES: Place[] = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) || isInterfaceType(type))
  .flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) =>
      field.args.flatMap((arg) => placesIn(arg.type).map((place) => ({ of: type.name, field, arg, place }))),
    ),
  );

/** The error for an id at a place. */
async function refusalOf({ of, field, arg, place }: Place, id: string) {
  const args = field.args.filter((one) => one === arg || isRequiredArgument(one));
  const declared = args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const given = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const selected = `${field.name}(${given}) { __typename }`;
  const query =
    of === 'Query' || of === 'Mutation'
      ? `${of.toLowerCase()} (${declared}) { ${selected} }`
      : `query (${declared}) { node(id: "${ids[of]}") { ... on ${of} { ${selected} } } }`;
  const variables = Object.fromEntries(
    args.map((one) => [one.name, inputOf(one.type, one === arg ? place : null, id)]),
  );
  const { errors } = await post(gateway, { query, variables }, { caller });
  return errors?.[0];
}

const nameOf = ({ of, field, arg, place }: Place) => `${of}.${field.name}(${[arg.name, ...place].join('.')})`;

test('takes no integer id and no public id', async () => {
  expect(PLACES.length).toBeGreaterThan(150);
  // One scalar reads them all.
  for (const one of sampleAt('no global id', PLACES, 4)) {
    const id = one.field.name.length % 2 === 0 ? String(tenant.contact.id) : 'AbCdEf';
    const error = await refusalOf(one, id);
    const last = one.place.at(-1) ?? one.arg.name;
    expect([nameOf(one), error?.extensions.code]).toEqual([nameOf(one), 'INVALID']);
    expect([nameOf(one), error?.message]).toEqual([
      nameOf(one),
      expect.stringMatching(new RegExp(`\\b${last} must be a global id.*\`by: \\{ databaseId \\}\``)),
    ]);
  }
}, 120_000);

/** An input with an id at a place of it, in place of its own. */
function withId(type: GraphQLInputType, own: unknown, place: readonly string[], id: string): unknown {
  const [name, ...rest] = place;
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [withId(nullable.ofType, (own as unknown[] | undefined)?.[0], place, id)];
  if (name === undefined || !isInputObjectType(nullable)) return id;
  const field = nullable.getFields()[name];
  const made = inputOf(nullable, place, id) as Record<string, unknown>;
  if (nullable.isOneOf || field === undefined) return made;
  const members = (own ?? {}) as Record<string, unknown>;
  return { ...made, ...members, [name]: withId(field.type, members[name], rest, id) };
}

test('the id of an object of another type is the program’s mistake in every input of a mutation', async () => {
  const mutations = new Map(mutationsIn(tenant, ids).map((one) => [one.name, one]));
  // Whose ids a criterion takes depends on its attribute: saved-filters.test.ts.
  const places = PLACES.filter(({ of, place }) => of === 'Mutation' && !place.includes('criteria'));
  expect(places.length).toBeGreaterThan(150);
  // No input takes the id of an audit entry.
  const id = btoa('AuditEntry:1');
  const unlike: string[] = [];
  for (const one of sampleAt('another type', places, 3)) {
    const { query, input } = mutations.get(one.field.name) ?? expect.fail(one.field.name);
    const variables = { input: withId(one.arg.type, input, one.place, id) };
    const { errors } = await post(gateway, { query, variables }, { caller });
    const { errors: faults = [] } = (errors?.[0]?.extensions ?? {}) as {
      errors?: { field: string; code: string }[];
    };
    const found = faults
      .filter(({ code }) => code === 'INVALID_ID')
      .map(({ field }) => field.replaceAll(/\[\d+\]/g, ''));
    if (!found.includes(one.place.join('.'))) unlike.push(nameOf(one));
  }
  expect(unlike).toEqual([]);
}, 120_000);

test('no input has the id of an object under another type', () => {
  /** Ids of other systems, and what only ends like one. */
  const foreign =
    /^(externalIds?|externalAddressFilterId|externalTaxCategoryId|eventTypeIds|visitorId|uuid|databaseId|publicId)$/;
  const others = Object.values(schema.getTypeMap())
    .filter(isInputObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => [type.name, field] as const))
    .filter(([, { name, type }]) => /(I|i)ds?$/.test(name) && getNamedType(type).name !== 'ID')
    .filter(([, { name }]) => !foreign.test(name));
  expect(others.map(([type, { name }]) => `${type}.${name}`)).toEqual([]);
});
