// The `Link` header: the client's own URL with `after` replaced, and nothing else touched.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withAfter } from '../../src/rest/lists.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { nextOf } from '../support/walk.ts';

const gateway = await sharedGateway();
const workspace = await factories.workspace(gateway.app, { subdomain: 'linked-shop' });
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
const path = `/api/v2/workspaces/${workspace.id}/contacts`;
const last = (await factories.contacts(gateway.app, workspace.id, 3)).at(-1);
await factories.customDomain(gateway.app, workspace.id, 'linked-shop.acme.example');

test.each([
  ['', `?after=LAST`],
  ['?per_page=500', '?per_page=500&after=LAST'],
  ['?per_page=007', '?per_page=007&after=LAST'],
  ['?after=0&per_page=50', '?per_page=50&after=LAST'],
  ['?after=2&after=1&sort_order=asc', '?sort_order=asc&after=LAST'],
  ['?per_page=2&per_page=50', '?per_page=2&per_page=50&after=LAST'],
  ['?with[name]=a%20b&expand[]=x&expand[]=y', '?with[name]=a%20b&expand[]=x&expand[]=y&after=LAST'],
  ['?q=a+b%2Bc%26d%3D%C3%A9', '?q=a+b%2Bc%26d%3D%C3%A9&after=LAST'],
  ['?malformed=%zz&flag&=x', '?malformed=%zz&flag&=x&after=LAST'],
  ['??after=1&?after=2', '??after=1&?after=2&after=LAST'],
  ['?%61fter=1&AFTER=1&after_x=1', '?AFTER=1&after_x=1&after=LAST'],
])('a list asked for with "%s" links to "%s"', async (asked, linked) => {
  const response = await gateway.send(path + asked, { caller });
  expect(response.headers.get('Pagination-Next')).toBe(String(last));
  expect(nextOf(response)).toBe(`http://localhost:4000${path}${linked.replace('LAST', String(last))}`);
});

test.each(['localhost:4000', 'linked-shop.localhost:8080', 'linked-shop.acme.example'])(
  'the link keeps the host %s',
  async (host) => {
    const response = await gateway.send(path, { caller, host });
    expect(nextOf(response)).toBe(`http://${host}${path}?after=${last}`);
  },
);

test('for any query, the link has every other parameter in its order, and one after', () => {
  const pair = fc
    .tuple(
      fc.oneof(fc.constant('after'), fc.string(), fc.constantFrom('?after', '&after', 'after ')),
      fc.string(),
    )
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
    );
  const anything = fc
    .string({ unit: fc.constantFrom(...'?&=#%+a[]/é \'"<>') })
    .map((text) => text.replaceAll('#', ''));
  const query = fc.oneof(
    fc.array(pair).map((pairs) => pairs.join('&')),
    fc.array(fc.oneof(pair, anything, fc.constant('?after=3'))).map((pairs) => pairs.join('&')),
  );
  fc.assert(
    fc.property(query, fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (text, after) => {
      const asked = new URL(`http://localhost/list?${text}`);
      const linked = new URL(withAfter(asked, { id: after }));
      expect([...linked.searchParams]).toEqual([
        ...[...asked.searchParams].filter(([name]) => name !== 'after'),
        ['after', String(after)],
      ]);
      expect(withAfter(asked, { id: after })).not.toMatch(/[<> ]/);
    }),
    { numRuns: 500 },
  );
});
