// Callers who may change objects but not read them: over REST a change returns ids, times and its input, over GraphQL ids alone.
// access-matrix.test.ts tests that a mutation which selects more is refused before it changes anything.
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { fieldOptions } from '../src/graphql/field-options.ts';
import { schema } from '../src/graphql/schema.ts';
import * as factories from './support/factories.ts';
import { sharedGateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { sampleMutations } from './support/mutations.ts';
import {
  createTenant,
  methodOf,
  OPERATIONS,
  type Operation,
  requestOf,
  sampleOperations,
} from './support/operations.ts';
import { SCHEMA_OPERATIONS } from './support/schema-operations.ts';
import { idsOf, mutationIn } from './support/tenant-mutations.ts';
import { USER_ERRORS } from './support/user-errors.ts';

const MARKER = 'HIDDEN-3f2c';
const gateway = await sharedGateway();
const { app } = gateway;
const CHANGES = OPERATIONS.filter((one) => methodOf(one) !== 'GET' && one.scope?.endsWith(':write'));
const MUTATIONS = SCHEMA_OPERATIONS.filter(({ isMutation }) => isMutation);

/** All texts and numbers in a value, each behind the name of its member. */
function leavesOf(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${name}: ${value}`];
  return Object.entries(value).flatMap(([key, member]) =>
    leavesOf(member, Array.isArray(value) ? name : key),
  );
}

/** Members that are always shown: ids and times, the id of the parent, a new secret, and the numbers of a summary. */
const ALWAYS =
  /^(id|public_id|[a-z_]+_id|created_at|updated_at|webhook_secret|client_secret|token|count|has_more): /;

const tenant = await createTenant(app, MARKER);
const named = (changes: readonly Operation[]) => changes.map((one) => [one.route, one] as const);

describe('REST', () => {
  test.each(named(sampleOperations('alone', CHANGES)))('%s', async (_route, operation) => {
    const tenant = await createTenant(app, MARKER);
    const scopes = [operation.scope ?? '', ...(operation.also ?? [])];
    const caller = await factories.apiKey(app, { teamId: tenant.team.id, scopes });
    const request = requestOf(operation, tenant);
    const response = await gateway.send(operation.path(tenant), { ...request, caller });
    expect(response.status).toBe(operation.success);
    const text = await response.text();
    if (text === '') return;
    expect(response.headers.get('Missing-Scope')).toBe(operation.scope?.replace('write', 'read'));
    expect(response.headers.get('ETag')).toBeNull();
    expect(text).not.toContain(MARKER);
    const given = leavesOf(JSON.parse(request.body ?? '{}'));
    const shown = leavesOf(JSON.parse(text)).filter((leaf) => !ALWAYS.test(leaf));
    expect(shown.filter((leaf) => !given.includes(leaf))).toEqual([]);
  });

  const send = async (method: string, path: string, body: object, scopes: string[], teamId: bigint) => {
    const caller = await factories.apiKey(app, { teamId, scopes });
    const response = await gateway.send(path, {
      ...{ caller, method, headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test('members that keep a value, or add to others, return only their input', async () => {
    const { id: workspaceId, teamId } = await factories.workspace(app);
    const contact = await factories.contact(app, {
      workspaceId,
      ...{ emailAddress: 'ann@example.com', firstName: 'Ann', customAttributes: { plan: 'gold', size: 'L' } },
    });
    const path = `/api/v2/contacts/${contact.id}`;
    const ids = { id: Number(contact.id), public_id: contact.publicId, workspace_id: Number(workspaceId) };
    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    const change = (body: object) => send('PATCH', path, body, ['contacts:write'], teamId);
    expect(await change({})).toEqual({ status: 200, body: { ...ids, ...times } });
    expect(await change({ time_zone: null, first_name: 'Bea' })).toEqual({
      status: 200,
      body: { ...ids, ...times, first_name: 'Bea' },
    });
    const { body } = await change({ custom_attributes: { size: 'M' } });
    expect(body['custom_attributes']).toEqual({ size: 'M' });
    // Nothing of this is known, and an id cannot be given.
    const unknown = await change({ last_name: 'Lee', anonymous: 1, subscribed: true, uuid: 'x' });
    expect(unknown.body).toEqual({ ...ids, ...times, last_name: 'Lee' });
    const upsert = `/api/v2/workspaces/${workspaceId}/contacts/upsert`;
    const upserted = { contact: { email_address: 'ann@example.com', first_name: null, last_name: '' } };
    const found = await send('POST', upsert, upserted, ['contacts:write'], teamId);
    expect(found.body).toEqual({ ...ids, ...times, email_address: 'ann@example.com' });
  });

  test.each(named(sampleOperations('guessed', CHANGES)))(
    '%s with If-Match: entity tags reveal no values to guesses',
    async (_route, operation) => {
      const scopes = [operation.scope ?? '', ...(operation.also ?? [])];
      const caller = await factories.apiKey(app, { teamId: tenant.team.id, scopes });
      const request = requestOf(operation, tenant);
      const headers = { ...request.headers, 'If-Match': '"x", "y"' };
      const response = await gateway.send(operation.path(tenant), { ...request, headers, caller });
      const { code, detail } = (await response.json()) as { code: string; detail: string };
      const scope = operation.scope?.replace('write', 'read');
      expect([response.status, code, detail]).toEqual([
        403,
        'insufficient_scope',
        `If-Match with entity tags needs the scope ${scope}.`,
      ]);
    },
  );

  test('a caller who may read gets the complete answer', async () => {
    const { id: workspaceId, teamId } = await factories.workspace(app);
    const contact = await factories.contact(app, { workspaceId, emailAddress: 'ann@example.com' });
    for (const scopes of [
      ['contacts:write', 'contacts:read'],
      ['write', 'contacts:read'],
      ['read', 'write'],
    ]) {
      const { body } = await send('PATCH', `/api/v2/contacts/${contact.id}`, {}, scopes, teamId);
      expect(body['email_address']).toBe('ann@example.com');
    }
  });
});

describe('GraphQL', () => {
  const mutations = schema.getMutationType()?.getFields() ?? {};

  /** What a caller sees of the objects in a payload. @returns null where the schema asks for a scope of its own */
  function idsIn(mutation: string): string {
    const payload = getNamedType(mutations[mutation]?.type as never);
    const selected = (isObjectType(payload) ? Object.values(payload.getFields()) : []).flatMap((field) => {
      const type = getNamedType(field.type);
      if (isLeafType(type)) return [field.name];
      if (fieldOptions(field).scope != null || !isObjectType(type)) return [];
      if (type.name.endsWith('Edge')) return [`${field.name} { cursor node { id databaseId } }`];
      return 'databaseId' in type.getFields() ? [`${field.name} { __typename id databaseId publicId }`] : [];
    });
    return `{ __typename ${USER_ERRORS} ${selected.join(' ')} }`;
  }

  const all = MUTATIONS.map((one) => [one.path[0] ?? '', one] as const);

  test.each(sampleMutations('alone', all, ([name]) => name))('%s', async (name, { scopes }) => {
    const tenant = await createTenant(app, MARKER);
    const { input } = mutationIn(tenant, await idsOf(app, tenant), name);
    const [writeScope = ''] = scopes;
    // Subscribing needs the scope of the subjects too.
    const also = name.includes('WebhookEndpoint') ? ['contacts:read'] : [];
    const caller = await factories.apiKey(app, { teamId: tenant.team.id, scopes: [writeScope, ...also] });
    const type = mutations[name]?.args[0]?.type;
    const query = `mutation ($input: ${type}) { ${name}(input: $input) ${idsIn(name)} }`;
    const { data, errors } = await post<Record<string, { userErrors: unknown } | null>>(
      gateway,
      { query, variables: { input } },
      { caller },
    );
    // In this tenant some objects are named by others, or are no longer what can be changed: that is a user error.
    expect([name, errors]).toEqual([name, undefined]);
    // An error of an object in use names what uses it.
    const { userErrors: _, ...shown } = data?.[name] ?? {};
    expect(JSON.stringify(shown)).not.toContain(MARKER);
  });
});
