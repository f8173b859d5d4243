// Fields with a closed set of values are enums everywhere in GraphQL; over REST their values stay text.
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import type { Fields } from '../../src/resources/description/fields.ts';
import { writableFields } from '../../src/resources/description/inputs.ts';
import { filtersOf } from '../../src/resources/description/lists.ts';
import { graphqlNameOf } from '../../src/resources/description/names.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { offer } from '../support/orders/shop.ts';
import { firstUserError, sendMutation } from '../support/user-errors.ts';

type Member = GraphQLField<unknown, unknown> | GraphQLInputField;

/** A place in the schema with a closed set of values. */
interface Place {
  readonly name: string;
  readonly values: readonly string[];
  /** By value: the word after which GraphQL names it. */
  readonly words: Readonly<Record<string, string>>;
  readonly type: GraphQLNamedType;
}

function membersOf(name: string): Readonly<Record<string, Member>> {
  const type = schema.getType(name);
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
}

function placesIn(name: string, fields: Fields): Place[] {
  const members = membersOf(name);
  return Object.entries(fields).flatMap(([property, field]) => {
    const { values, synonyms, valueNames, spellings = {}, items, children } = field;
    const member = members[graphqlNameOf(property, field)];
    if (member === undefined) return [];
    const below = children === undefined ? [] : placesIn(getNamedType(member.type).name, items ?? {});
    return values === undefined
      ? below
      : [
          ...below,
          {
            name: `${name}.${graphqlNameOf(property, field)}`,
            values: values.filter((value) => spellings[value] === undefined),
            words: { ...synonyms, ...valueNames },
            type: getNamedType(member.type),
          },
        ];
  });
}

const PLACES = (NOUNS as readonly Resource[]).flatMap((noun) => {
  const { type, fields, kinds, actions = {} } = noun;
  const filtered = filtersOf({ ...noun, table: noun.table }).flatMap(({ property, values }) =>
    values === undefined ? [] : [[property, { type: 'text', description: '', values }] as const],
  );
  return [
    ...[type, ...Object.values(kinds?.types ?? {}).map((kind) => kind.type)].flatMap((name) =>
      placesIn(name, fields),
    ),
    ...placesIn(`Create${type}Input`, writableFields(noun, 'creation')),
    ...placesIn(`Update${type}Input`, writableFields(noun, 'change')),
    ...placesIn(`${type}Filter`, Object.fromEntries(filtered)),
    ...Object.entries(actions).flatMap(([action, { fields: given = {} }]) =>
      placesIn(`${action[0]?.toUpperCase()}${action.slice(1)}${type}Input`, given),
    ),
  ];
});

test('each is an enum with the values in upper case, unless they are not valid names or are codes of a standard', () => {
  const texts = PLACES.filter(({ type }) => !isEnumType(type)).map(({ name, values, type }) => {
    expect(type.name).toBe('String');
    const names = values.map((value) => value.replaceAll('-', '_').toUpperCase());
    const areNames = names.every((one) => /^[A-Z_]+$/.test(one)) && new Set(names).size === names.length;
    return [name, areNames];
  });
  // Media types, and codes of languages.
  expect(Object.fromEntries(texts)).toEqual({
    'Image.contentType': false,
    'Team.locale': true,
    'UpdateTeamInput.locale': true,
  });
  for (const { name, values, words, type } of PLACES) {
    if (!isEnumType(type)) continue;
    const shown = Object.fromEntries(type.getValues().map((one) => [one.value, one.name]));
    const expected = values.map((value) => [
      value,
      (words[value] ?? value).replaceAll('-', '_').toUpperCase(),
    ]);
    expect([name, shown]).toEqual([name, Object.fromEntries(expected)]);
  }
  expect(PLACES.length).toBeGreaterThan(60);
});

test.each([
  ['ProductPrice.paymentType', 'ProductPricePaymentType'],
  ['SubscriptionPrice.interval', 'ProductPriceInterval'],
  ['PaymentPlanPrice.trialInterval', 'ProductPriceInterval'],
  ['CreateProductPriceInput.trialInterval', 'ProductPriceInterval'],
  ['Order.type', 'OrderType'],
  ['OrderFilter.types', 'OrderType'],
  ['Order.fulfillmentStatus', 'OrderFulfillmentStatus'],
  ['Order.cancelReason', 'OrderCancelReason'],
  ['Order.billingStatus', 'OrderBillingStatus'],
  ['ShippingPackage.type', 'ShippingPackageType'],
  ['PerformLineItemChangeInput.effectiveTime', 'LineItemChangeEffectiveTime'],
])('%s is of the type %s', (place, type) => {
  const [owner = '', property = ''] = place.split('.');
  expect(getNamedType(membersOf(owner)[property]?.type)?.name).toBe(type);
});

describe('a client', async () => {
  const gateway = await sharedGateway();
  const { app } = gateway;
  const { id: teamId } = await factories.team(app);
  const { id: workspaceId } = await factories.workspace(app, { teamId });
  const { variantId } = await offer(app, workspaceId, { amount: '5.00' });
  const caller = await factories.apiKey(app, { teamId });
  const ask = <Data = unknown>(query: string, variables?: object) =>
    post<Data>(gateway, { query, ...(variables && { variables }) }, { caller });
  const CREATE = `mutation ($input: CreateProductPriceInput!) { createProductPrice(input: $input) { productPrice {
    databaseId paymentType ... on PaymentPlanPrice { interval trialInterval } } } }`;
  const amount = { amount: '5.00', currency: 'EUR' };
  const input = { productVariantId: btoa(`ProductVariant:${variantId}`), amount };

  test('uses names over GraphQL, and the text of the same values over REST', async () => {
    const given = { ...input, paymentType: 'PAYMENT_PLAN', interval: 'WEEK', duration: 3 };
    const { data, errors } = await ask<{ createProductPrice: { productPrice: { databaseId: number } } }>(
      CREATE,
      {
        input: given,
      },
    );
    expect(errors).toBeUndefined();
    const { productPrice: price } = data?.createProductPrice ?? expect.fail('no price');
    expect(price).toMatchObject({ paymentType: 'PAYMENT_PLAN', interval: 'WEEK', trialInterval: 'DAY' });
    const shown = await gateway.send(`/api/v2/products/prices/${price.databaseId}`, { caller });
    expect(await shown.json()).toMatchObject({ payment_type: 'payment_plan', interval: 'weeks' });
    const { rows } = await app.store.pool.query(
      'select after from audit_entries where workspace_id = $1 and subject_id = $2',
      [workspaceId, price.databaseId],
    );
    expect(rows).toMatchObject([{ after: { payment_type: 'payment_plan', interval: 'weeks' } }]);
  });

  test('filters by names', async () => {
    const query = `query ($id: BigInt!, $types: [OrderType!]) { workspace(by: { databaseId: $id }) {
      one: orders(filter: { types: [ONE_TIME, SUBSCRIPTION] }) { totalCount }
      other: orders(filter: { types: $types }) { totalCount } } }`;
    const { data } = await ask(query, { id: Number(workspaceId), types: ['SUBSCRIPTION'] });
    expect(data).toEqual({ workspace: { one: { totalCount: 0 }, other: { totalCount: 0 } } });
  });

  test.each([
    ['another word', 'FREE'],
    ['the text of REST', 'payment_plan'],
    ['a number', 1],
    ['a list', ['ONE_TIME', 'SUBSCRIPTION']],
  ])('is told which values there are: %s is refused like any argument of another type', async (_, value) => {
    const variable = await ask(CREATE, { input: { ...input, paymentType: value } });
    const literal = await ask(
      CREATE.replace('($input: CreateProductPriceInput!)', '').replace(
        '$input',
        `{ productVariantId: "x", amount: { amount: "1.00", currency: "EUR" }, paymentType: ${JSON.stringify(value)} }`,
      ),
    );
    const wrong = await ask(CREATE, { input: { ...input, duration: 'x' } });
    const wrongLiteral = await ask('{ workspace(by: { databaseId: true }) { id } }');
    const refusal = ({ errors }: typeof variable) => errors?.map(({ extensions }) => extensions.code);
    expect(refusal(variable)).toEqual(refusal(wrong));
    expect(refusal(literal)).toEqual(refusal(wrongLiteral));
    expect(variable.errors?.[0]?.message).toContain('ProductPricePaymentType');
    expect(variable.errors?.[0]?.extensions.field).toBe(wrong.errors?.[0]?.extensions.field);
    expect(literal.errors?.[0]?.message).toContain('ProductPricePaymentType');
  });

  test('sees the names if a value is refused', async () => {
    const given = { ...input, paymentType: 'PAYMENT_PLAN', duration: 3 };
    const refused = await sendMutation(gateway, 'createProductPrice', given, { caller });
    expect(firstUserError(refused)?.message).toContain('PAYMENT_PLAN');
  });
});
