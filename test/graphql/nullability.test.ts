// Which fields of other objects may be null: those in another category than their parent, those directly below a team or workspace, and
// those of objects that may be deleted.
import { type GraphQLObjectType, getNullableType, isNonNullType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { scopeOf, typeOptions } from '../../src/graphql/field-options.ts';
import { schema } from '../../src/graphql/schema.ts';
import { ownerKeysOf } from '../../src/resources/description/ancestors.ts';
import type { Field } from '../../src/resources/description/fields.ts';
import {
  graphqlNameOf,
  graphqlTypeNameOf,
  referenceFieldName,
} from '../../src/resources/description/names.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { isPermanent, NOUNS } from '../../src/resources/nouns.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { intercept } from '../support/graphql-statements.ts';
import { createTenant } from '../support/operations.ts';

const gateway = await ownGateway();
const { team, workspace, webhookEndpoint } = await createTenant(gateway.app, 'nullable');

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

/** What stands in a step's own row, or was read with it. */
const OF_STEPS = [
  'FunnelStep.funnel',
  'PageStep.funnel',
  'PageStep.page',
  'SplitTest.funnel',
  'ConditionalSplit.funnel',
];

test('an object that is always there, and that nothing deletes, is never null', () => {
  const typeNamed = (name: string) => schema.getType(name) as GraphQLObjectType | undefined;
  const named = NOUNS.flatMap((noun: Resource) => {
    const { parent, fields } = noun;
    const owners = parent === undefined ? [] : ownerKeysOf(noun);
    const references = Object.entries<Field>(fields).flatMap(([property, { refers, nullable, type }]) =>
      refers === undefined || nullable === true || type !== 'int8' ? [] : [[property, refers.type] as const],
    );
    return [...owners.map(([property, { type }]) => [property, type] as const), ...references]
      .filter(([, type]) => NOUNS.some((one) => one.type === type && isPermanent(one)))
      .map(([property]) => {
        const name = referenceFieldName(graphqlNameOf(property, fields[property]));
        return `${graphqlTypeNameOf(noun)}.${name}`;
      });
  });
  const shown = [...new Set([...named, ...OF_STEPS])].flatMap((path) => {
    const [type = '', name = ''] = path.split('.');
    const above = typeNamed(type);
    const field = above?.getFields()[name];
    if (above === undefined || field === undefined) return [];
    const scope = scopeOf(field);
    return scope === null || scope === typeOptions(above).scope ? [{ path, type: field.type }] : [];
  });
  expect(shown.filter(({ type }) => !isNonNullType(type)).map(({ path }) => path)).toEqual([]);
  expect(shown.map(({ path }) => path)).toEqual(expect.arrayContaining(OF_STEPS));
});

test('a connection of another category is null with one error, and the rest of the answer stands', async () => {
  const caller = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['contacts:read'] });
  const query = `query ($id: ID!) { node(id: $id) { ... on Workspace {
    name funnels { totalCount } contacts { nodes { orders { totalCount } tags { totalCount } } } } } }`;
  const variables = { id: btoa(`Workspace:${workspace.id}`) };
  for (const _ of ['Yoga', 'the fast path']) {
    const { data, errors = [] } = await post<object>(gateway, { query, variables }, { caller });
    expect(data).toMatchObject({
      node: {
        name: workspace.name,
        funnels: null,
        contacts: { nodes: expect.arrayContaining([{ orders: null, tags: { totalCount: 1 } }]) },
      },
    });
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.scope])).toContainEqual([
      'node.funnels',
      'funnels:read',
    ]);
  }
});

test('the list of an object that is deleted while a page is read is empty, and the page stands', async () => {
  const caller = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['webhooks:read'] });
  const gone = await factories.webhookEndpoint(gateway.app, { workspaceId: workspace.id });
  const query = `query ($id: ID!) { node(id: $id) { ... on Workspace { webhookEndpoints { nodes { databaseId deliveries { nodes { id } totalCount } } } } } }`;
  const variables = { id: btoa(`Workspace:${workspace.id}`) };
  const owner = await factories.apiKey(gateway.app, { teamId: team.id });
  let isDeleted = false;
  const stop = intercept(gateway, async (name, send) => {
    if (/^webhook_deliveries/.test(name) && !isDeleted) {
      isDeleted = true;
      const path = `/api/v2/webhooks/outgoing/endpoints/${gone.id}`;
      await gateway.send(path, { method: 'DELETE', caller: owner });
    }
    return send();
  });
  try {
    const { data, errors } = await post<object>(gateway, { query, variables }, { caller });
    expect([isDeleted, errors]).toEqual([true, undefined]);
    const { nodes } = (
      data as { node: { webhookEndpoints: { nodes: { databaseId: number; deliveries: object }[] } } }
    ).node.webhookEndpoints;
    expect(nodes.map(({ databaseId }) => databaseId)).toContain(Number(webhookEndpoint.id));
    expect(nodes.find(({ databaseId }) => databaseId === Number(gone.id))?.deliveries).toEqual({
      nodes: [],
      totalCount: 0,
    });
  } finally {
    stop();
  }
});
