// What a person can mend about a mutation is data: `userErrors` of its payload. What the program got wrong is in `errors`.
import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  AppError,
  conflict,
  FIELD_ERROR_CODES,
  invalid,
  invalidFields,
  notFound,
  TAKEN,
} from '../../src/errors.ts';
import { schema } from '../../src/graphql/schema.ts';
import { userErrorsOf } from '../../src/graphql/user-errors.ts';
import * as factories from '../support/factories.ts';
import { type Caller, sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { sampleMutations } from '../support/mutations.ts';
import { createTenant, type Tenant } from '../support/operations.ts';
import { offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';
import { idsOf, mutationsIn } from '../support/tenant-mutations.ts';
import { sendMutation } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const MUTATIONS = Object.values((schema.getMutationType() as GraphQLObjectType).getFields());

const isIfMatch = ({ name }: GraphQLInputField) => name === 'ifMatch';

function inputFieldsOf(name: string): GraphQLInputField[] {
  const [arg] = MUTATIONS.find((one) => one.name === name)?.args ?? [];
  return Object.values((getNamedType(arg?.type) as GraphQLInputObjectType).getFields());
}

describe('each payload', () => {
  test.each(MUTATIONS.map(({ name, type }) => [name, getNamedType(type)] as const))(
    '%s has userErrors, and nothing else that is never null',
    (_, payload) => {
      const fields = isObjectType(payload) ? Object.values(payload.getFields()) : [];
      expect(
        fields.filter(({ type }) => isNonNullType(type)).map(({ name, type }) => `${name}: ${type}`),
      ).toEqual(['userErrors: [UserError!]!']);
    },
  );
});

describe('every mutation', () => {
  let tenant: Tenant;
  let caller: Caller;
  let mutations: ReturnType<typeof mutationsIn>;

  beforeEach(async () => {
    tenant ??= await createTenant(gateway.app, 'ours');
    caller ??= await factories.apiKey(gateway.app, { teamId: tenant.team.id });
    mutations ??= mutationsIn(tenant, await idsOf(gateway.app, tenant));
  });

  const given = (name: string) => mutations.find((one) => one.name === name)?.input ?? expect.fail(name);
  const idsIn = (name: string) =>
    inputFieldsOf(name)
      .filter(({ type }) => String(type) === 'ID!')
      .map((field) => field.name);
  const textsIn = (name: string) =>
    inputFieldsOf(name)
      .filter(({ type }) => String(type) === 'String!')
      .map((field) => field.name);

  /** The mutations that are tried at one place. */
  const tried = (place: string) => sampleMutations(place, MUTATIONS, ({ name }) => name);

  /** What else is wrong then is found first. */
  const FOUND_LATER = ['createFulfillment contactId', 'createFulfillment locationId'];

  test.each(
    tried('not found').flatMap(({ name }) =>
      idsIn(name)
        .filter((field) => !FOUND_LATER.includes(`${name} ${field}`))
        .map((field) => [name, field] as const),
    ),
  )('%s of an unknown %s is NOT_FOUND with its path, and data is intact', async (name, field) => {
    const [type] = atob(String(Reflect.get(given(name), field))).split(':');
    const unknown = { ...given(name), [field]: btoa(`${type}:999999999`) };
    const { response, data, errors } = await sendMutation(gateway, name, unknown, { caller });
    expect([response.status, errors, data]).toEqual([
      200,
      undefined,
      { [name]: { userErrors: [{ code: 'NOT_FOUND', path: [field], message: expect.any(String) }] } },
    ]);
  });

  test.each(tried('another type').flatMap(({ name }) => idsIn(name).map((field) => [name, field] as const)))(
    '%s with the id of another type in %s is an error of the program',
    async (name, field) => {
      const wrong = { ...given(name), [field]: btoa('Nothing:1') };
      const { data, errors } = await sendMutation(gateway, name, wrong, { caller });
      expect(data).toEqual({ [name]: null });
      expect(errors).toMatchObject([
        { extensions: { code: 'INVALID', field, errors: [{ field, code: 'INVALID_ID' }] } },
      ]);
    },
  );

  test.each(
    tried('stale')
      .map(({ name }) => name)
      .filter((name) => inputFieldsOf(name).some(isIfMatch))
      // The tenant's image is in use, which is found first.
      .filter((name) => name !== 'deleteImage'),
  )('%s is STALE if ifMatch has another time than the object', async (name) => {
    const ifMatch = '2020-01-01T00:00:00.000Z';
    const { data } = await sendMutation(gateway, name, { ...given(name), ifMatch }, { caller });
    const userErrors = [{ code: 'STALE', path: ['ifMatch'], message: expect.any(String) }];
    expect(data).toEqual({ [name]: { userErrors } });
  });

  test('an object with a change or deletion has ifMatch if it has a time of its last change', () => {
    const without = MUTATIONS.filter(({ name }) =>
      /^(update|archive|unarchive|delete|remove)[A-Z]/.test(name),
    )
      .filter(({ name }) => !inputFieldsOf(name).some(isIfMatch))
      .map(({ name }) => name.replace(/^(update|archive|unarchive|delete|remove)/, ''))
      .filter((type) => {
        const node = schema.getType(type) as GraphQLObjectType | undefined;
        return node?.getFields()['updatedAt'] !== undefined;
      });
    expect([...new Set(without)]).toEqual([]);
  });

  test.each(tried('required').flatMap(({ name }) => textsIn(name).map((field) => [name, field] as const)))(
    '%s with an empty %s is REQUIRED',
    async (name, field) => {
      const { data } = await sendMutation(gateway, name, { ...given(name), [field]: '' }, { caller });
      expect(data).toMatchObject({ [name]: { userErrors: [{ code: 'REQUIRED', path: [field] }] } });
    },
  );
});

describe('a refused change', () => {
  let workspace: { id: bigint; teamId: bigint };
  let workspaceId: string;
  let caller: Caller;

  beforeEach(async () => {
    workspace = await factories.workspace(gateway.app);
    workspaceId = btoa(`Workspace:${workspace.id}`);
    caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
  });

  const create = (input: object, by = caller) =>
    sendMutation(gateway, 'createContact', { workspaceId, ...input }, { caller: by });
  const contacts = () => prismaOf(gateway.app.store).contact.count({ where: { workspaceId: workspace.id } });

  test('says what is wrong with each field, in words that go below it', async () => {
    await create({ emailAddress: 'ann@example.com' });
    const { data } = await create({ emailAddress: 'Ann@example.com' });
    expect(data).toEqual({
      createContact: {
        userErrors: [{ code: 'TAKEN', path: ['emailAddress'], message: 'has already been taken' }],
      },
    });
    const tagIds = [btoa('ContactTag:999999999')];
    const answer = await create({ emailAddress: 'x', firstName: 'x'.repeat(3_000) });
    expect(answer.data).toMatchObject({
      createContact: {
        userErrors: [
          { code: 'INVALID_FORMAT', path: ['emailAddress'] },
          { code: 'TOO_LONG', path: ['firstName'] },
        ],
      },
    });
    expect((await create({ firstName: 'Ann', tagIds })).data).toMatchObject({
      createContact: {
        userErrors: [
          { code: 'NOT_FOUND', path: ['tagIds'], message: expect.stringMatching(/^There is no such .*\.$/) },
        ],
      },
    });
    expect(await contacts()).toBe(1);
  });

  test('says all that is wrong with the input at once, each with its path', async () => {
    const { data } = await create({
      emailAddress: 'x',
      firstName: 'x'.repeat(3_000),
      customAttributes: [
        { name: 'size', value: 'L' },
        { name: 'First Name', value: 'Ann' },
        { name: 'size', value: 'M' },
      ],
    });
    expect(data?.['createContact']?.userErrors).toEqual([
      {
        code: 'REPEATED',
        path: ['customAttributes', '2', 'name'],
        message: 'is given twice. Give each name once',
      },
      {
        code: 'TAKEN',
        path: ['customAttributes', '1'],
        message: 'is the name of a built-in property. Choose another name',
      },
      {
        code: 'INVALID_FORMAT',
        path: ['emailAddress'],
        message: 'is not a valid e-mail address',
      },
      {
        code: 'TOO_LONG',
        path: ['firstName'],
        message: 'must be at most 2000 characters long',
      },
    ]);
  });

  test('has what is wrong with members together beside what is wrong with each', async () => {
    const { variantId } = await offer(gateway.app, workspace.id);
    const price = await sendMutation(
      gateway,
      'createProductPrice',
      {
        productVariantId: btoa(`ProductVariant:${variantId}`),
        name: 'x'.repeat(3_000),
        amount: { amount: '1.005', currency: 'EUR' },
        paymentType: 'PAYMENT_PLAN',
      },
      { caller },
    );
    expect(price.errors).toBeUndefined();
    expect(price.data?.['createProductPrice']?.userErrors.map(({ code, path }) => [code, path])).toEqual([
      ['TOO_LONG', ['name']],
      ['REQUIRED', ['interval']],
      ['OUT_OF_RANGE', ['duration']],
      ['INVALID_FORMAT', ['amount', 'amount']],
    ]);
    expect(price.data?.['createProductPrice']?.userErrors[1]?.message).toBe(
      'is required for a PAYMENT_PLAN price',
    );
    const endpoint = await sendMutation(
      gateway,
      'createWebhookEndpoint',
      { workspaceId, url: 'ftp://x', name: '', eventTypeIds: ['contact.created', 'nothing'] },
      { caller },
    );
    expect(endpoint.data).toMatchObject({
      createWebhookEndpoint: {
        userErrors: [
          { code: 'REQUIRED', path: ['name'], message: 'must not be blank' },
          { code: 'INVALID_FORMAT', path: ['url'], message: 'must be an http or https URL' },
          { code: 'NOT_FOUND', path: ['eventTypeIds'], message: 'There are no such event types: nothing.' },
        ],
      },
    });
    const filter = await sendMutation(
      gateway,
      'createSavedFilter',
      {
        workspaceId,
        name: 'x'.repeat(300),
        criteria: [
          { attribute: 'FIRST_NAME', clause: 'EQUALS', value: { text: 'Ann' } },
          { attribute: 'FIRST_NAME', clause: 'EQUALS', value: { text: '' } },
        ],
      },
      { caller },
    );
    expect(filter.data).toMatchObject({
      createSavedFilter: {
        userErrors: [
          { code: 'TOO_LONG', path: ['name'] },
          { code: 'INVALID_FORMAT', path: ['criteria', '1', 'value'] },
        ],
      },
    });
  });

  test('leaves no idempotency record: the mended input works with the same key', async () => {
    const idempotencyKey = 'one';
    const refused = await create({ emailAddress: 'x', idempotencyKey });
    expect(refused.data).toMatchObject({ createContact: { userErrors: [{ code: 'INVALID_FORMAT' }] } });
    await create({ emailAddress: 'taken@example.com' });
    const taken = await create({ emailAddress: 'taken@example.com', idempotencyKey });
    expect(taken.data).toMatchObject({ createContact: { userErrors: [{ code: 'TAKEN' }] } });
    const mended = await create({ emailAddress: 'mended@example.com', idempotencyKey });
    expect(mended.data).toEqual({ createContact: { userErrors: [] } });
    const reused = await create({ emailAddress: 'other@example.com', idempotencyKey });
    expect(reused).toMatchObject({
      data: { createContact: null },
      errors: [{ extensions: { errors: [{ field: 'idempotencyKey', code: 'INVALID_KEY' }] } }],
    });
    expect(await contacts()).toBe(2);
  });

  test('makes the other fields of its payload null, and the next mutation still runs', async () => {
    const query = `mutation ($bad: CreateContactInput!, $good: CreateContactInput!) {
      bad: createContact(input: $bad) { contact { id } contactEdge { cursor } userErrors { code } }
      good: createContact(input: $good) { contact { firstName } userErrors { code } }
    }`;
    const variables = {
      bad: { workspaceId, emailAddress: 'x' },
      good: { workspaceId, firstName: 'Ann' },
    };
    const { data, errors } = await post(gateway, { query, variables }, { caller });
    expect([errors, data]).toEqual([
      undefined,
      {
        bad: { contact: null, contactEdge: null, userErrors: [{ code: 'INVALID_FORMAT' }] },
        good: { contact: { firstName: 'Ann' }, userErrors: [] },
      },
    ]);
  });

  test('stays in errors where the program made a mistake as well', async () => {
    const input = { emailAddress: 'x', tagIds: [btoa('Order:1')] };
    const { data, errors } = await create(input);
    expect(data).toEqual({ createContact: null });
    expect(errors).toMatchObject([
      {
        extensions: {
          errors: [
            { field: 'emailAddress', code: 'INVALID_FORMAT' },
            { field: 'tagIds', code: 'INVALID_ID' },
          ],
        },
      },
    ]);
  });

  test('needs the scope of the mutation and no other', async () => {
    const { teamId } = workspace;
    const writer = await factories.apiKey(gateway.app, { teamId, scopes: ['contacts:write'] });
    const { data } = await create({ emailAddress: 'x' }, writer);
    expect(data).toMatchObject({ createContact: { userErrors: [{ code: 'INVALID_FORMAT' }] } });
    const reader = await factories.apiKey(gateway.app, { teamId, scopes: ['contacts:read'] });
    const { errors } = await create({ emailAddress: 'x' }, reader);
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
  });

  test('is STALE if the object has another `updatedAt` than ifMatch says', async () => {
    const created = await post(
      gateway,
      {
        query:
          'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id updatedAt } } }',
        variables: { input: { workspaceId, firstName: 'Ann' } },
      },
      { caller },
    );
    const { contact } = (created.data as { createContact: { contact: { id: string; updatedAt: string } } })
      .createContact;
    const update = (firstName: string) =>
      sendMutation(
        gateway,
        'updateContact',
        { contactId: contact.id, firstName, ifMatch: contact.updatedAt },
        { caller },
      );
    expect((await update('Bea')).data).toEqual({ updateContact: { userErrors: [] } });
    const stale = { userErrors: [{ code: 'STALE', path: ['ifMatch'], message: expect.any(String) }] };
    expect((await update('Cleo')).data).toEqual({ updateContact: stale });
    const removal = { contactId: contact.id, ifMatch: contact.updatedAt };
    expect((await sendMutation(gateway, 'deleteContact', removal, { caller })).data).toEqual({
      deleteContact: stale,
    });
    expect(await contacts()).toBe(1);
  });
});

describe('the user errors of an error', () => {
  const ids = new Map([['Contact', 'contactId']]);
  const of = (error: AppError, input: Record<string, unknown> = {}) => userErrorsOf(error, input, ids);

  test('have the path of the field within the input', () => {
    const path = (field: string, input = {}) => of(invalid(field, TAKEN), input)?.[0]?.path;
    expect(path('emailAddress')).toEqual(['emailAddress']);
    expect(path('bumps[0].productId', { bumps: [{}] })).toEqual(['bumps', '0', 'productId']);
    expect(path('customAttributes.size', { customAttributes: [{ name: 'a' }, { name: 'size' }] })).toEqual([
      'customAttributes',
      '1',
    ]);
    expect(path('lineItems[].price', { lineItems: [{}] })).toEqual(['lineItems']);
    expect(path('input')).toBeNull();
  });

  test('have no path to a field that the input lacks', () => {
    const type = schema.getType('CancelOrderInput') as GraphQLInputObjectType;
    const path = (field: string) => userErrorsOf(invalid(field, TAKEN), {}, ids, type)?.[0]?.path;
    expect([path('type'), path('cancelReason'), path('lineItems[0].id')]).toEqual([
      null,
      ['cancelReason'],
      null,
    ]);
  });

  test('are of the object that a service does not find, or of the state that refuses the change', () => {
    expect(of(notFound('Contact'), { contactId: 'x' })).toEqual([
      { code: 'not_found', path: ['contactId'], message: 'There is no such contact.' },
    ]);
    expect(of(notFound('Page'))).toMatchObject([{ code: 'not_found', path: null }]);
    const message = 'The image is used by a product and was not deleted.';
    expect(of(conflict('in_use', message))).toEqual([{ code: 'in_use', path: null, message }]);
  });

  test('are none for what only the program, time or the operator can mend', () => {
    expect(of(invalid('id', { code: 'invalid_id', message: 'must be an id' }))).toBeNull();
    const both = [
      { ...TAKEN, field: 'name' },
      { code: 'unknown_field', field: 'x', message: 'is unknown' } as const,
    ];
    expect(of(invalidFields(both))).toBeNull();
    const later = { retryAfterSeconds: 1, reason: { code: 'not_allowed_now' } } as const;
    expect(of(new AppError('conflict', 'Try again.', later))).toBeNull();
    for (const code of ['gone', 'unavailable', 'insufficient_scope', 'too_many_requests'] as const)
      expect(of(new AppError(code, 'No.', { reason: { code: 'taken' } }))).toBeNull();
  });

  test('have a code of the enum', () => {
    const names = ['STALE', 'IN_USE', ...Object.keys(FIELD_ERROR_CODES).map((code) => code.toUpperCase())];
    const type = schema.getType('UserErrorCode') as unknown as { getValues(): { name: string }[] };
    const values = type.getValues().map(({ name }) => name);
    expect(values).toEqual(
      names.filter((name) => !['INVALID_ID', 'INVALID_KEY', 'UNKNOWN_FIELD'].includes(name)).sort(),
    );
  });
});
