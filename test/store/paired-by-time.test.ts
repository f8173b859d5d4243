// A tag in the order of changes, wherever its contacts are in a list that is longer than what is walked of it (src/store/reading/walks.ts).
import { afterAll, describe, expect, test } from 'vitest';
import type { FilterValues } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import { findPageUnder } from '../../src/store/reading/pages.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';

const CONTACTS = tableOf(contact);

const ROWS = 24_000;
const WALKED = 20_000;
const MANY = 2_500;
const SIZE = 10;
const BEGIN = Date.parse('2026-01-01T00:00:00Z');

/** Which of the contacts, numbered in the order of changes, have a tag. */
const TAGS = {
  'many, all at the end': 'n > 21000',
  'many, all at the beginning': 'n <= 3000',
  'many, everywhere': 'n % 5 = 0',
  'as few as are read at once, at the end': 'n > 21500',
  'one at either end': `n in (1, ${ROWS})`,
  none: 'false',
};
type Tag = keyof typeof TAGS;

const tagIds = {} as Record<Tag, bigint>;

const gateway = await createGateway();
const { app } = gateway;
const { id: teamId } = await factories.team(app);
const tenancy = { teamId, workspaceIds: null };
const workspaceId = (await factories.workspace(app, { teamId })).id;
const { id: other } = await factories.workspace(app, { teamId });
const client = await planningClient(gateway);
// Without other work on each row, such as looking up its workspace.
await client.query('set session_replication_role = replica');
await client.query(
  `insert into contacts (workspace_id, email_address, unsubscribed_at, updated_at)
    select w, n || '@example.com', case when n % 100 = 0 then now() end, timestamptz '2026-01-01Z' + n * interval '1 s'
    from unnest(array[${workspaceId}, ${other}]::bigint[]) w, generate_series(1, ${ROWS}) n order by n * 7919 % ${ROWS}`,
);
for (const [name, which] of Object.entries(TAGS) as [Tag, string][]) {
  tagIds[name] = (await factories.tag(app, workspaceId, name)).id;
  await client.query(
    `insert into contact_tags (workspace_id, contact_id, tag_id)
      select workspace_id, id, ${tagIds[name]} from (select c.*, split_part(email_address, '@', 1)::int as n from contacts c) c
      where workspace_id = ${workspaceId} and ${which}`,
  );
}
await client.query('reset session_replication_role; analyze');
afterAll(async () => {
  await client.end();
  await gateway.close();
});

/** Ids of contacts from plain SQL: after the n-th change, in either direction. */
async function plainly(tag: bigint, after: number | null, order: 'asc' | 'desc', isActive: boolean | null) {
  const { rows } = await client.query<{ id: string }>(
    `select id from contacts c where workspace_id = $1 and ($2::timestamptz is null or updated_at ${order === 'asc' ? '>' : '<'} $2)
      and ($3::bool is null or (unsubscribed_at is null) = $3) and id in (select contact_id from contact_tags where tag_id = $4)
      order by updated_at ${order}, id ${order} limit ${SIZE}`,
    [workspaceId, after === null ? null : timeOf(after), isActive, tag],
  );
  return rows.map(({ id }) => BigInt(id));
}

const timeOf = (n: number) => new Date(BEGIN + n * 1_000);

async function idOf(n: number): Promise<bigint> {
  const { rows } = await client.query<{ id: string }>(
    'select id from contacts where workspace_id = $1 and email_address = $2',
    [workspaceId, `${n}@example.com`],
  );
  return BigInt(rows[0]?.id ?? 0);
}

async function requestOf(tag: Tag, order: 'asc' | 'desc', after: number | null, isActive: boolean | null) {
  const page = { size: SIZE, after: null, before: null, backward: false, sort: 'updatedAt', order } as const;
  const position = after === null ? {} : { after: await idOf(after), afterValue: timeOf(after) };
  const filter: FilterValues = { tagIds: [tagIds[tag]], ...(isActive !== null && { isActive: [isActive] }) };
  return { ...page, ...position, filter };
}

describe.each(Object.keys(TAGS) as Tag[])('%s', (tag) => {
  describe.each(['asc', 'desc'] as const)('%s', (order) => {
    test.each(sampleAt(`${tag} ${order}`, [null, 3_500, 20_995], 2))(
      'after change %s: the same page as by plain SQL',
      async (after) => {
        for (const isActive of [null, false]) {
          const request = await requestOf(tag, order, after, isActive);
          const found = await findPageUnder(gateway.app, CONTACTS, tenancy, workspaceId, request);
          expect(found?.rows.map(({ id }) => id)).toEqual(await plainly(tagIds[tag], after, order, isActive));
        }
      },
    );
  });
});

test.each<[Tag, number | null, number, number]>([
  ['many, all at the end', null, WALKED + 1, 3_000],
  ['many, all at the end', 3_500, WALKED + 1, 3_000],
  // The rest of the list is walked, and the tag's contacts are not read.
  ['many, all at the beginning', 20_995, ROWS - 20_995, MANY + 1],
  ['many, everywhere', null, 10 * SIZE, MANY + 1],
  // The rows of the page.
  ['as few as are read at once, at the end', null, SIZE + 1, MANY],
])(
  '%s, behind change %s: of the list at most %i rows at a time are read, of the tag %i',
  async (tag, after, ofList, ofTag) => {
    const [nodes = []] = await plansOf(gateway, client, async (store) =>
      findPageUnder({ store }, CONTACTS, tenancy, workspaceId, await requestOf(tag, 'asc', after, null)),
    );
    const mostOf = (table: string) =>
      Math.max(...nodes.filter((node) => node['Relation Name'] === table).map((node) => node['Actual Rows']));
    expect(mostOf('contacts')).toBeLessThanOrEqual(ofList);
    expect(mostOf('contact_tags')).toBeLessThanOrEqual(ofTag);
  },
);
