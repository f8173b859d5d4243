// Searches of lists: what words find, over both faces, compared with a plain model; what is refused; and that the rest of a list stays.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ON_SHARDS } from '../../src/store/shard-placement/placement.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { line, offer } from '../support/orders/shop.ts';
import { expectProblem } from '../support/problem.ts';
import { allIds, idsOf, walk } from '../support/walk.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const neighbour = await factories.workspace(app, { teamId });
const foreign = await factories.workspace(app);

type Texts = { firstName?: string; lastName?: string; emailAddress?: string; phoneNumber?: string };
/** What each contact has. Some of it exists in another workspace and in another team too. */
const PEOPLE: Texts[] = [
  {
    firstName: 'Änne',
    lastName: 'Müller-Schmidt',
    emailAddress: 'anne.mueller@example.com',
    phoneNumber: '+49 170 1234567',
  },
  { firstName: 'JOSÉ', lastName: 'Łukasz', emailAddress: 'jose_l@example.org' },
  { firstName: 'Ali', lastName: '100%', emailAddress: 'ali%x@example.com' },
  { firstName: 'a\\b', lastName: `O'Hara "Jr"`, emailAddress: 'back@example.com' },
  { firstName: '😀 Smile', lastName: 'Жанна', emailAddress: 'joy@пример.example' },
  { firstName: '山田　太郎', emailAddress: 'taro@example.jp' },
  { firstName: 'Straße', lastName: 'Œuvre', phoneNumber: '(030) 12-34' },
  { firstName: 'x_y', lastName: 'aaaaaaaaaaaaaaaaaaaaaaaa' },
  {},
];
/** A list that a search walks through to its end, and one of which it reads the index. */
const short = await people(workspaceId);
const long = await people((await factories.workspace(app, { teamId })).id, 1_500);
for (const other of [neighbour.id, foreign.id])
  await factories.contact(app, { workspaceId: other, ...PEOPLE[0] });

async function people(of: bigint, after = 0) {
  await app.store.pool.query(
    'insert into contacts (workspace_id) select $1 from generate_series(1, $2::int)',
    [of, after],
  );
  const ids: bigint[] = [];
  for (const texts of PEOPLE)
    ids.push((await factories.contact(app, { workspaceId: of, emailAddress: null, ...texts })).id);
  return { workspaceId: of, ids };
}
type List = typeof short;

const search = (text: string, more = '', of = short) =>
  gateway.send(
    `/api/v2/workspaces/${of.workspaceId}/contacts?filter[search]=${encodeURIComponent(text)}${more}`,
    { caller },
  );

const QUERY = `query ($id: BigInt!, $search: String) { workspace(by: { databaseId: $id }) { contacts(search: $search) {
  totalCount totalCountIsExact nodes { databaseId } pageInfo { hasNextPage hasPreviousPage } } } }`;
async function overGraphql(text: string, of = short) {
  const { data, errors } = await post(
    gateway,
    { query: QUERY, variables: { id: String(of.workspaceId), search: text } },
    { caller },
  );
  expect(errors).toBeUndefined();
  const { contacts } = (data?.['workspace'] ?? expect.fail()) as {
    contacts: { totalCount: number; nodes: { databaseId: string }[] };
  };
  expect(contacts.totalCount).toBe(contacts.nodes.length);
  return contacts.nodes.map(({ databaseId }) => BigInt(databaseId));
}

/** The letters that are not made of a letter and an accent, for the model. */
const LIGATURES: Record<string, string> = { ß: 'ss', œ: 'oe', Œ: 'OE', ł: 'l', Ł: 'L' };
const plain = (text: string) =>
  [...text]
    .map((letter) => LIGATURES[letter] ?? letter)
    .join('')
    .normalize('NFD')
    // Only accents on letters of the alphabet are left out, as `unaccent` does.
    .replaceAll(/(?<=[a-z])\p{M}+/giu, '')
    .normalize('NFC')
    .toLowerCase();

function expected(text: string, { ids }: List = short): bigint[] {
  const words = text
    .split(/\s+/u)
    .filter((word) => word !== '')
    .map(plain);
  return ids.filter((_, index) => {
    const has = Object.values(PEOPLE[index] ?? {}).flatMap((value) => plain(value).split(/[ \u3000]/u));
    return words.every((word) =>
      has.some((one) => ([...word].length < 3 ? one.startsWith(word) : one.includes(word))),
    );
  });
}

describe.each([
  ['a short list', short],
  ['a long list', long],
])('in %s a contact is found', (_list, of) => {
  const { ids } = of;
  test.each<[string, string, number[]]>([
    ['by a part of a word of its address', 'mueller', [0]],
    ['by a part of its name', 'ülle', [0]],
    ['without accents', 'muller', [0]],
    ['in any case and with other accents', 'jóse lukÁsz', [1]],
    ['by words of several fields in any order', 'example.com 1234567 anne', [0]],
    ['only if it has all words', 'anne lukasz', []],
    ['by the beginning of a word, of one letter', 'm', [0]],
    ['by the beginning of a word, of two letters', 'ja', []],
    ['by the beginning of a word, of two letters in capitals', 'AL', [2]],
    ['not by two letters within a word', 'üll', [0]],
    ['by a percent sign, which stands for itself', '100%', [2]],
    ['not by any letters instead of a percent sign', 'a%x', []],
    ['by an underscore, which stands for itself', 'e_l', [1]],
    ['not by any letter instead of an underscore', 'o_h', []],
    ['by a backslash', 'a\\b', [3]],
    ['by quotes', `o'hara "jr"`, [3]],
    ['by a comma, which does not split', 'anne,jose', []],
    ['by an emoji', '😀', [4]],
    ['by other letters', 'жанна', [4]],
    ['by two ideographs', '太郎', [5]],
    ['by what stands for a letter', 'strasse oeuvre', [6]],
    ['by the letter', 'STRAßE', [6]],
    ['by a part of a phone number', '12-3', [6]],
    ['by a hundred of one letter', 'a'.repeat(100), []],
    ['by many of one letter', 'a'.repeat(24), [7]],
  ])('%s', async (_, text, found) => {
    expect(await idsOf(await search(text, '', of))).toEqual(found.map((index) => ids[index]));
    expect(await overGraphql(text, of)).toEqual(found.map((index) => ids[index]));
  });

  test('as a plain model finds it, over both faces', async () => {
    const texts = PEOPLE.flatMap((texts) => Object.values(texts)).filter((text) => text !== '');
    const part = fc
      .tuple(fc.constantFrom(...texts), fc.nat(40), fc.integer({ min: 1, max: 6 }))
      .map(([text, from, length]) =>
        [...text]
          .slice(from % [...text].length)
          .slice(0, length)
          .join(''),
      );
    const changed = fc
      .tuple(
        part,
        fc.constantFrom('as it is', 'upper', 'accents', 'noise'),
        fc.constantFrom('%', '_', '\\', 'z', '1'),
      )
      .map(([text, how, noise]) =>
        how === 'upper'
          ? // Capitals of these letters are two letters, or others.
            text.replaceAll(/[a-zжан]/g, (letter) => letter.toUpperCase())
          : how === 'accents'
            ? text.replaceAll('e', 'é')
            : how === 'noise'
              ? text + noise
              : text,
      );
    await fc.assert(
      fc.asyncProperty(fc.array(changed, { minLength: 1, maxLength: 3 }), async (words) => {
        const text = words.join(' ');
        fc.pre(plain(text).trim() !== '');
        expect(await idsOf(await search(text, '', of)), text).toEqual(expected(text, of));
        expect(await overGraphql(text, of), text).toEqual(expected(text, of));
      }),
      { numRuns: 60 },
    );
  });
});

test.each([
  ['nothing', ''],
  ['blanks', ' \u00a0\u3000\t '],
  ['an accent alone', '\u0301'],
])('%s finds everything, as an empty search field does', async (_, text) => {
  expect(await idsOf(await search(text))).toEqual(short.ids);
  expect(await overGraphql(text)).toEqual(short.ids);
});

test('the text has at most 100 characters, an emoji counts as one', async () => {
  expect((await search('😀'.repeat(100))).status).toBe(200);
  await expectProblem(await search('a'.repeat(101)), 'invalid');
});

test.each([
  ['NUL', 'ann\0e'],
  ['too many words', 'a b c d e f g h i j k'],
  ['101 characters', '😀'.repeat(101)],
])('%s is refused over both faces', async (_, text) => {
  await expectProblem(await search(text), 'invalid');
  const { errors } = await post(
    gateway,
    { query: QUERY, variables: { id: String(workspaceId), search: text } },
    { caller },
  );
  expect(errors?.[0]?.message).toMatch(/^search /);
});

test.each(['&filter[search]=b', '&filter[search][]=b'])('a second search (%s) is refused', async (more) => {
  expect((await search('a', more)).status).toBe(400);
});

test('it combines with filters and orders, and a walk goes through all pages', async () => {
  for (const of of [short, long]) {
    const first = `/api/v2/workspaces/${of.workspaceId}/contacts?filter[search]=example&filter[anonymous]=false&per_page=1`;
    const found = expected('example', of);
    expect(allIds(await walk(gateway, first, { caller }))).toEqual(found);
    expect(allIds(await walk(gateway, `${first}&sort_order=desc`, { caller }))).toEqual(found.toReversed());
    expect(allIds(await walk(gateway, `${first}&sort_property=updated_at`, { caller })).toSorted()).toEqual(
      found.toSorted(),
    );
  }
});

describe('other lists', () => {
  const { app: on } = gateway;
  test.each([0, 1_200])(
    'among %i others products are found by their name and the SKUs of their variants, together',
    async (more) => {
      const { id } = await factories.workspace(on, { teamId });
      await on.store.pool.query(
        `insert into products (workspace_id, name) select $1, 'Z' from generate_series(1, $2::int)`,
        [id, more],
      );
      const shirt = await offer(on, id, { name: 'Chemise d’été' });
      const mug = await offer(on, id, { name: 'Mug' });
      await on.store.pool.query(`update product_variants set sku = 'RÉD-' || id where id = $1`, [
        shirt.variantId,
      ]);
      await on.store.pool.query(
        `insert into product_variants (workspace_id, product_id, name, sku) values ($1, $2, 'Two', 'BLU-77')`,
        [id, shirt.productId],
      );
      const found = async (text: string) => {
        const response = await gateway.send(
          `/api/v2/workspaces/${id}/products?filter[search]=${encodeURIComponent(text)}`,
          { caller },
        );
        return idsOf(response);
      };
      expect(await found('chem')).toEqual([shirt.productId]);
      expect(await found('red')).toEqual([shirt.productId]);
      expect(await found('blu-7 ÉTÉ red')).toEqual([shirt.productId]);
      expect(await found('bl')).toEqual([shirt.productId]);
      expect(await found('mug blu')).toEqual([]);
      expect(await found('sku-1')).toEqual([mug.productId]);
      expect(await found('u')).toEqual([]);
    },
  );

  test('funnels and pages are found by name and path; a discarded page is not', async () => {
    const { id } = await factories.workspace(on, { teamId });
    const funnel = await factories.funnel(on, { workspaceId: id, name: 'Été', currentPath: '/summer-sale' });
    await factories.funnel(on, { workspaceId: id, name: 'Winter' });
    const page = await factories.page(on, id, 'Grüße');
    const gone = await factories.page(on, id, 'Grüße, 2');
    await on.store.pool.query(
      `update pages set discarded_at = now(), discard_reason = 'deleted' where id = $1`,
      [gone.id],
    );
    const found = async (list: string, text: string) =>
      idsOf(
        await gateway.send(`/api/v2/workspaces/${id}/${list}?filter[search]=${encodeURIComponent(text)}`, {
          caller,
        }),
      );
    expect(await found('funnels', 'ete')).toEqual([funnel.id]);
    expect(await found('funnels', 'SALE ete')).toEqual([funnel.id]);
    expect(await found('funnels', '/s')).toEqual([funnel.id]);
    expect(await found('pages', 'grusse')).toEqual([page.id]);
  });

  test.each([0, 1_200])(
    'among %i others orders are found by their number and the words of their contact, as it is now; that needs both scopes',
    async (more) => {
      const { id } = await factories.workspace(on, { teamId });
      const goods = await offer(on, id);
      await factories.contact(on, { workspaceId: id, emailAddress: null });
      const headers = { 'content-type': 'application/json' };
      const order = async (email: string) => {
        const attributes = { email_address: email };
        const body = JSON.stringify({
          order: {
            order_type: 'one-time-order',
            live_mode: true,
            contact_attributes: attributes,
            line_items_attributes: [line(goods)],
          },
        });
        const response = await gateway.send(`/api/v2/workspaces/${id}/orders`, {
          caller,
          method: 'POST',
          headers,
          body,
        });
        expect(response.status, await response.clone().text()).toBe(201);
        const made = (await response.json()) as { id: number; order_number: string; contact: { id: number } };
        return { id: BigInt(made.id), number: made.order_number, contactId: made.contact.id };
      };
      // More than a search walks through.
      await on.store.pool.query(
        `insert into orders (workspace_id, order_number, live_mode, tax_amount, currency, billing_status, service_status, order_type, total_amount, contact_id)
        select $1, 100000 + n, true, 0, 'EUR', 'paid', 'active', 'one-time-order', 1, (select id from contacts where workspace_id = $1 limit 1) from generate_series(1, $2::int) n`,
        [id, more],
      );
      const one = await order('ada@example.com');
      const two = await order('bob@example.com');
      const three = await order('ada@example.com');
      // Orders have no copy: they follow their contact.
      await gateway.send(`/api/v2/contacts/${one.contactId}`, {
        ...{ caller, headers, method: 'PATCH' },
        body: JSON.stringify({ contact: { first_name: 'Adélaïde' } }),
      });
      const list = `/api/v2/workspaces/${id}/orders?filter[search]=`;
      const found = async (text: string) =>
        idsOf(await gateway.send(list + encodeURIComponent(text), { caller }));
      expect(await found('adela')).toEqual([one.id, three.id]);
      expect(await found(`${three.number} adela`)).toEqual([three.id]);
      expect(await found(two.number)).toContain(two.id);
      expect(await found(`bob ${one.number}x`)).toEqual([]);
      const asked = await post(
        gateway,
        {
          query: `query ($id: BigInt!) { workspace(by: { databaseId: $id }) { orders(search: "example.com", first: 1) { totalCount nodes { databaseId } pageInfo { hasNextPage } } } }`,
          variables: { id: String(id) },
        },
        { caller },
      );
      expect(asked.data).toEqual({
        workspace: {
          orders: { totalCount: 3, nodes: [{ databaseId: Number(one.id) }], pageInfo: { hasNextPage: true } },
        },
      });

      const shopKeeper = await factories.apiKey(on, { teamId, scopes: ['store:read'] });
      await expectProblem(await gateway.send(`${list}ada`, { caller: shopKeeper }), 'insufficient_scope');

      await gateway.send(`/api/v2/contacts/${one.contactId}/gdpr_destroy`, { caller, method: 'DELETE' });
      expect(await found('adela')).toEqual([]);
      expect(await found('ada@example.com')).toEqual([]);
    },
  );
});

test.each([
  ['short', short],
  ['long', long],
])(
  'a contact of a %s list that was changed or erased is no longer found by what it was, from the answer on',
  async (_, of) => {
    const before = { workspaceId: of.workspaceId, firstName: 'Zebulon', emailAddress: 'zebulon@example.com' };
    const { id } = await factories.contact(app, before);
    const found = async (text: string) => idsOf(await search(text, '', of));
    expect(await found('zebulon')).toEqual([id]);
    const member = `/api/v2/contacts/${id}`;
    const body = JSON.stringify({ contact: { first_name: 'Quirin' } });
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.send(member, { caller, method: 'PATCH', body, headers })).status).toBe(200);
    expect(await found('quirin zebulon@')).toEqual([id]);
    expect((await gateway.send(`${member}/gdpr_destroy`, { caller, method: 'DELETE' })).status).toBeLessThan(
      300,
    );
    for (const text of ['zebulon', 'quirin', 'zebulon@example.com']) expect(await found(text)).toEqual([]);
  },
);

test('a page that was deleted from during a walk, and rows of commits that come late, are as in any list', async () => {
  const of = await people((await factories.workspace(app, { teamId })).id, 1_200);
  const start = `/api/v2/workspaces/${of.workspaceId}/contacts?filter[search]=example&per_page=1`;
  const all = expected('example', of);
  const pages = await walk(gateway, start, { caller }, async ({ ids: [last] }) => {
    if (last === all[0]) await gateway.send(`/api/v2/contacts/${last}`, { caller, method: 'DELETE' });
  });
  expect(allIds(pages)).toEqual(all);
  // An open transaction has drawn an id below those of rows that are committed meanwhile.
  const client = await app.store.pool.connect();
  try {
    await client.query('begin');
    await client.query(`insert into contacts (workspace_id, email_address) values ($1, 'late@example.com')`, [
      of.workspaceId,
    ]);
    const { id } = await factories.contact(app, {
      workspaceId: of.workspaceId,
      emailAddress: 'early@example.com',
    });
    expect(await idsOf(await search('example', '', of))).not.toContain(id);
    await client.query('commit');
    expect((await idsOf(await search('example', '', of))).slice(-1)).toEqual([id]);
  } finally {
    client.release(true);
  }
});

test('with a saved filter it finds what matches both', async () => {
  for (const of of [short, long]) {
    // Of addresses that begin with `a`.
    const { id } = await factories.refineFilter(app, { workspaceId: of.workspaceId });
    const both = async (text: string) => idsOf(await search(text, `&filter[refine_filter_id]=${id}`, of));
    expect(await both('example')).toEqual([of.ids[0], of.ids[2]]);
    expect(await both('mueller')).toEqual([of.ids[0]]);
    expect(await both('lukasz')).toEqual([]);
  }
});

test('a store on several servers refuses it in one sentence', async () => {
  vi.spyOn(app.store.placement, 'rules').mockImplementation(async () => ON_SHARDS);
  try {
    const response = await search('a');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      detail: 'search is not available, because Citus distributes this store.',
    });
  } finally {
    vi.restoreAllMocks();
  }
});
