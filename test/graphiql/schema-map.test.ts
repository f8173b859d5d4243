// What the map of the schema says, of the schema that is served.
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { familiesOf } from '../../src/graphiql/app/schema/families.ts';
import { typeGraphOf } from '../../src/graphiql/app/schema/type-graph.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'), {
  assumeValid: true,
});
const graph = typeGraphOf(schema);
const families = familiesOf(schema);

describe('the map', () => {
  test('has the types that clients read, and no connections, edges, payloads and roots', () => {
    for (const name of ['Contact', 'Order', 'FunnelStep', 'Actor'])
      expect(graph.types.has(name), name).toBe(true);
    for (const name of graph.types.keys())
      expect(name).not.toMatch(/(Connection|Edge|Payload|Input)$|^(Query|Mutation|PageInfo)$/);
  });

  test('leads through connections', () => {
    expect(graph.around('Contact')).toContainEqual({ from: 'Contact', to: 'Order', fields: ['orders'] });
  });

  test('finds the shortest ways, and none through a container', () => {
    const ways = graph.between('Contact', 'Image').map(({ from, to }) => `${from} ${to}`);
    for (const way of ['Contact Order', 'Order OrderLineItem', 'OrderLineItem Product', 'Product Image'])
      expect(ways).toContain(way);
    expect(ways.join(' ')).not.toContain('Workspace');
    expect(graph.between('Image', 'Image')).toEqual([]);
    expect(graph.between('Workspace', 'Contact')).toHaveLength(1);
  });

  test.each([
    ['contact', 'Contact'],
    ['prod', 'Product'],
    ['images', 'Image'],
    ['no such thing', null],
    [' ', null],
  ])('finds for "%s" %s', (text, name) => {
    expect(graph.find(text)).toBe(name);
  });
});

test('a type is in the family of its scope, or of what uses it', () => {
  expect(families.get('Contact')).toBe('Contacts');
  expect(families.get('CreateContactInput')).toBe('Contacts');
  expect(families.get('CreateContactPayload')).toBe('Contacts');
  expect(families.get('OrderLineItem')).toBe('Store');
  expect(families.get('WebhookEventConnection')).toBe('Webhooks');
  expect(families.has('Money')).toBe(false);
  expect(families.has('Workspace')).toBe(false);
});
