// Saved filters over GraphQL: classes, attributes and clauses are enums, and a value is the member that fits its attribute.
import { expect, test } from 'vitest';
import { REFINE_ATTRIBUTES } from '../../src/resources/refine-attributes.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient } from '../support/rest-client.ts';
import { sendMutation } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const client = await createRestClient(gateway);
const { caller, workspaceId } = client;
const globalId = (type: string, id: unknown) => btoa(`${type}:${id}`);
const MEMBERS = `text texts isTrue ids amount amounts { from to } day days { from to } time times { from to }
  relative { days direction } billingStatuses serviceStatuses orderTypes`;

type Criterion = Readonly<Record<string, unknown>>;
interface Saved {
  readonly databaseId: number;
  readonly criteria: readonly { readonly value: Criterion | null }[];
}

async function save(filterClass: string, criteria: readonly Criterion[]) {
  const query = `mutation ($input: CreateSavedFilterInput!) { createSavedFilter(input: $input) {
    userErrors { code path message } savedFilter { databaseId criteria { attribute clause value { ${MEMBERS} } } } } }`;
  const input = { workspaceId: globalId('Workspace', workspaceId), filterClass, criteria };
  const { data, errors } = await post<{
    createSavedFilter: { userErrors: Criterion[]; savedFilter: Saved | null };
  }>(gateway, { query, variables: { input } }, { caller });
  expect(errors).toBeUndefined();
  return data?.createSavedFilter ?? expect.fail();
}

/** What REST shows of a filter that GraphQL has saved, after requiring that GraphQL shows what was sent. */
async function stored(filterClass: string, criteria: readonly Criterion[]) {
  const { savedFilter, userErrors } = await save(filterClass, criteria);
  expect(userErrors).toEqual([]);
  const shown = savedFilter?.criteria.map(({ value, ...one }) => ({
    ...one,
    ...(value && {
      value: Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)),
    }),
  }));
  expect(shown).toEqual(criteria);
  const { body } = await client.send('GET', `/api/v2/refine_filters/${savedFilter?.databaseId}`);
  return (body['criteria'] as { attribute: string; clause: string; value: unknown }[]).map(
    ({ attribute, clause, value }) => [attribute, clause, value],
  );
}

test('criteria of contacts are stored in the form of REST', async () => {
  const { id } = await factories.tag(gateway.app, workspaceId, 'vip');
  const ids = [globalId('ContactTag', id)];
  const relative = { days: 30, direction: 'AGO' };
  expect(
    await stored('CONTACTS', [
      { attribute: 'EMAIL_ADDRESS', clause: 'STARTS_WITH', value: { text: 'ann' } },
      { attribute: 'IS_ANONYMOUS', clause: 'EQUALS', value: { isTrue: false } },
      { attribute: 'TAG', clause: 'EQUALS', value: { ids } },
      { attribute: 'TAG', clause: 'IN', value: { ids } },
      { attribute: 'CREATED_AT', clause: 'LESS_THAN', value: { relative } },
      {
        attribute: 'LAST_VISIT_AT',
        clause: 'BETWEEN',
        value: { days: { from: '2026-01-01', to: '2026-01-31' } },
      },
      { attribute: 'UNSUBSCRIBED_AT', clause: 'EQUALS', value: { day: '2026-01-31' } },
      { attribute: 'EMAIL_SUPPRESSION', clause: 'IN', value: { texts: ['bounce', 'complaint'] } },
      { attribute: 'EMAIL_SUPPRESSION', clause: 'IS_NOT_SET' },
    ]),
  ).toEqual([
    ['email_address', 'sw', 'ann'],
    ['anonymous', 'eq', false],
    ['tags.id', 'eq', Number(id)],
    ['tags.id', 'in', [Number(id)]],
    ['created_at', 'lt', { days: 30, modifier: 'ago' }],
    ['last_activity', 'btwn', ['2026-01-01', '2026-01-31']],
    ['unsubscribed_at', 'eq', '2026-01-31'],
    ['email_suppression', 'in', ['bounce', 'complaint']],
    ['email_suppression', 'nst', null],
  ]);
});

test('criteria of orders and products too', async () => {
  expect(
    await stored('ORDERS', [
      { attribute: 'BILLING_STATUS', clause: 'IN', value: { billingStatuses: ['PAID', 'PAST_DUE'] } },
      { attribute: 'TYPE', clause: 'EQUALS', value: { orderTypes: ['ONE_TIME'] } },
      { attribute: 'TOTAL_AMOUNT', clause: 'AT_LEAST', value: { amount: '12.50' } },
      { attribute: 'TOTAL_AMOUNT', clause: 'BETWEEN', value: { amounts: { from: '1.00', to: '2.00' } } },
      { attribute: 'CREATED_AT', clause: 'AT_MOST', value: { time: '2026-01-31T12:00:00.000Z' } },
    ]),
  ).toEqual([
    ['billing_status', 'in', ['paid', 'past-due']],
    ['order_type', 'eq', 'one-time-order'],
    ['total_amount', 'gte', '12.50'],
    ['total_amount', 'btwn', ['1.00', '2.00']],
    ['created_at', 'lte', '2026-01-31T12:00:00.000Z'],
  ]);
  expect(await stored('PRODUCTS', [{ attribute: 'NAME', clause: 'EQUALS', value: { text: 'Mug' } }])).toEqual(
    [['name', 'eq', 'Mug']],
  );
});

test('the end of a range of times is excluded, and both ends are needed', async () => {
  const criterion = (times: object) => ({ attribute: 'CREATED_AT', clause: 'BETWEEN', value: { times } });
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
  expect(await stored('ORDERS', [criterion({ from, to })])).toEqual([
    ['created_at', 'btwn', [from, '2026-01-31T23:59:59.999Z']],
  ]);
  const { userErrors } = await save('ORDERS', [criterion({ from })]);
  expect(userErrors).toMatchObject([{ code: 'REQUIRED', path: ['criteria', '0', 'value', 'times', 'to'] }]);
});

test('an attribute that no object has is REST’s alone', async () => {
  const saved = await client.send('POST', `/api/v2/workspaces/${workspaceId}/refine_filters`, {
    filter_class: 'ContactsFilter',
    criteria: [{ attribute: 'has_affiliate_attribution', clause: 'eq', value: true }],
  });
  expect(saved.status).toBe(201);
  const query = `{ savedFilter(by: { databaseId: ${saved.body.id} }) { criteria { attribute clause value { isTrue } } } }`;
  const { data } = await post(gateway, { query }, { caller });
  expect(data).toEqual({
    savedFilter: { criteria: [{ attribute: null, clause: 'EQUALS', value: null }] },
  });
});

test('an error names words as GraphQL does', async () => {
  const refusals = async (filterClass: string, criterion: Criterion) =>
    (await save(filterClass, [criterion])).userErrors.map(({ code, path, message }) => [
      code,
      (path as string[]).join('.'),
      message,
    ]);
  expect(
    await refusals('PRODUCTS', { attribute: 'FIRST_NAME', clause: 'EQUALS', value: { text: 'x' } }),
  ).toEqual([
    [
      'NOT_INCLUDED',
      'criteria.0.attribute',
      'must be one of NAME, IS_ARCHIVED, IS_VISIBLE_IN_STORE, CREATED_AT, TAG',
    ],
  ]);
  expect(
    await refusals('CONTACTS', { attribute: 'FIRST_NAME', clause: 'BETWEEN', value: { text: 'x' } }),
  ).toEqual([['NOT_INCLUDED', 'criteria.0.clause', 'must be one of EQUALS, STARTS_WITH for FIRST_NAME']]);
  expect(
    await refusals('CONTACTS', { attribute: 'FIRST_NAME', clause: 'EQUALS', value: { isTrue: true } }),
  ).toEqual([['INVALID_FORMAT', 'criteria.0.value', 'must be given as text or texts for FIRST_NAME']]);
  expect(await refusals('CONTACTS', { attribute: 'FIRST_NAME', clause: 'EQUALS' })).toEqual([
    ['REQUIRED', 'criteria.0.value', 'must be text of 1 to 1000 characters for EQUALS'],
  ]);
});

test('ids are of the objects that the class compares, also in a change', async () => {
  const { id } = await factories.tag(gateway.app, workspaceId, 'regular');
  const criterion = (type: string, of: unknown = id) => ({
    attribute: 'TAG',
    clause: 'EQUALS',
    value: { ids: [globalId(type, of)] },
  });
  const shown = ({ userErrors }: { userErrors: readonly object[] }) =>
    userErrors.map((one) => ['code', 'path'].map((name) => Reflect.get(one, name)));
  const { savedFilter } = await save('CONTACTS', [criterion('ContactTag')]);
  const savedFilterId = globalId('SavedFilter', savedFilter?.databaseId);
  const send = (criteria: readonly Criterion[]) =>
    sendMutation(gateway, 'updateSavedFilter', { savedFilterId, criteria }, { caller });
  const change = async (one: Criterion) => (await send([one])).data?.['updateSavedFilter'] ?? expect.fail();
  // An id of another type is the program's mistake.
  expect((await send([criterion('OrderTag')])).errors).toMatchObject([
    { extensions: { errors: [{ field: 'criteria[0].value', code: 'INVALID_ID' }] } },
  ]);
  expect(shown(await change(criterion('ContactTag', 999_999)))).toEqual([
    ['NOT_FOUND', ['criteria', '0', 'value']],
  ]);
  expect(shown(await change(criterion('ContactTag')))).toEqual([]);
});

test('attributes of one name are of one kind in each class', () => {
  const kinds = new Map<string, Set<string>>();
  for (const attributes of Object.values(REFINE_ATTRIBUTES))
    for (const [name, { kind }] of Object.entries(attributes))
      kinds.set(name, (kinds.get(name) ?? new Set()).add(kind));
  expect([...kinds].filter(([, of]) => of.size > 1)).toEqual([]);
});
