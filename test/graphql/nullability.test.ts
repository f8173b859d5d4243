// Which fields of other objects may be null: those in another category than their parent, those directly below a team or workspace, and
// those of objects that may be deleted.
import { getNullableType, isNonNullType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { scopeOf, typeOptions } from '../../src/graphql/field-options.ts';
import { schema } from '../../src/graphql/schema.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { intercept } from '../support/graphql-statements.ts';
import { createTenant } from '../support/operations.ts';

const gateway = await ownGateway();
const { team, workspace, contact } = await createTenant(gateway.app, 'nullable');

/** `Type.field` of every connection, and whether it is non-null. */
const CONNECTIONS = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({
      name: `${type.name}.${field.name}`,
      above: typeOptions(type).scope,
      scope: scopeOf(field),
      of: getNullableType(field.type),
      isNonNull: isNonNullType(field.type),
    })),
  )
  .filter(({ of }) => isObjectType(of) && typeOptions(of).isConnection === true);

test('a connection is non-null exactly where its scope is its parent’s own', () => {
  const wrong = CONNECTIONS.filter(
    ({ name, above, scope, isNonNull }) =>
      // The saved filter has one list for each class of objects, of which two are null.
      !name.startsWith('SavedFilter.') &&
      isNonNull !== (name === 'Viewer.teams' || (above !== undefined && above === scope)),
  );
  expect(wrong).toEqual([]);
  expect(CONNECTIONS.some(({ isNonNull }) => isNonNull)).toBe(true);
});

test('a connection of another category is null with one error, and the rest of the answer stands', async () => {
  const caller = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['contacts:read'] });
  const query = `query ($id: ID!) { node(id: $id) { ... on Workspace {
    name funnels { totalCount } contacts { nodes { orders { totalCount } appliedTags { totalCount } } } } } }`;
  const variables = { id: btoa(`Workspace:${workspace.id}`) };
  for (const _ of ['Yoga', 'the fast path']) {
    const { data, errors = [] } = await post<object>(gateway, { query, variables }, { caller });
    expect(data).toMatchObject({
      node: {
        name: workspace.name,
        funnels: null,
        contacts: { nodes: expect.arrayContaining([{ orders: null, appliedTags: { totalCount: 1 } }]) },
      },
    });
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.scope])).toContainEqual([
      'node.funnels',
      'funnels:read',
    ]);
  }
});

test('the list of an object that is deleted while a page is read is empty, and the page stands', async () => {
  const caller = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['contacts:read'] });
  const gone = await factories.contact(gateway.app, { workspaceId: workspace.id });
  const query = `query ($id: ID!) { node(id: $id) { ... on Workspace { contacts { nodes { databaseId appliedTags { nodes { id } totalCount } } } } } }`;
  const variables = { id: btoa(`Workspace:${workspace.id}`) };
  const owner = await factories.apiKey(gateway.app, { teamId: team.id });
  let isDeleted = false;
  const stop = intercept(gateway, async (name, send) => {
    if (/^contact_tags/.test(name) && !isDeleted) {
      isDeleted = true;
      await gateway.send(`/api/v2/contacts/${gone.id}`, { method: 'DELETE', caller: owner });
    }
    return send();
  });
  try {
    const { data, errors } = await post<object>(gateway, { query, variables }, { caller });
    expect([isDeleted, errors]).toEqual([true, undefined]);
    const { nodes } = (
      data as { node: { contacts: { nodes: { databaseId: number; appliedTags: object }[] } } }
    ).node.contacts;
    expect(nodes.map(({ databaseId }) => databaseId)).toContain(Number(contact.id));
    expect(nodes.find(({ databaseId }) => databaseId === Number(gone.id))?.appliedTags).toEqual({
      nodes: [],
      totalCount: 0,
    });
  } finally {
    stop();
  }
});
