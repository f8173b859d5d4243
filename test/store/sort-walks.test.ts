// Each order of each noun's list, with ties and missing values: a walk by positions, in either direction and from either end, has every row
// once, in the order of a plain model; a position is where its row was, also when that is gone.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageRequest } from '../../src/pagination.ts';
import { parentKeyOf } from '../../src/resources/description/ancestors.ts';
import { toSnakeCase } from '../../src/resources/description/names.ts';
import { SORT_TYPES, type Sort, type SortValue } from '../../src/resources/description/sorts.ts';
import { type Described, NOUNS } from '../../src/resources/nouns.ts';
import { findPagesUnder, findPageUnder } from '../../src/store/reading/pages.ts';
import type { Tenancy } from '../../src/store/sql/tenancy.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { planningClient } from '../support/explain.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { multiplyRow } from '../support/multiplied-rows.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, type Tenant } from '../support/operations.ts';

const COPIES = 13;

let gateway: Gateway;
let tenant: Tenant;
let tenancy: Tenancy;
let client: pg.Client;

/** Those with one object at most cannot have ties, and the team itself is no list of this kind. */
const LISTED = NOUNS.filter(
  ({ sorts, parent, most }) => sorts !== undefined && parent !== undefined && most !== 1,
);

type OwnSort = Exclude<Sort, 'id'>;
/** The suite tries each order in the lists of a third of the nouns. */
const CASES = [
  ...Map.groupBy(
    LISTED.flatMap((noun) => (noun.sorts ?? []).map((sort) => ({ noun, type: noun.type, sort }))),
    ({ sort }) => sort,
  ),
].flatMap(([sort, cases]) => sampleAt(sort, cases, 3));

/** Values in which some rows are equal, letter case aside, and some have none. */
const TIED: Readonly<Record<string, string>> = {
  created_at: `timestamptz '2026-01-01Z' + (n * 5 % 4) * interval '1 ms'`,
  updated_at: `timestamptz '2026-01-01Z' + (n * 7 % 4) * interval '1 ms'`,
  name: `case when n % 2 = 0 then upper('k: ä' || n / 2) else 'k: ä' || n / 2 end`,
  total_amount: `(n * 7 % 3) * 10.50`,
  email_address: `case when n % 3 > 0 then ' K' || (n * 7 % ${COPIES}) || '@x.example' end`,
  sort_order: `case when n % 3 > 0 then n * 7 % 4 end`,
};

/** Nouns of which there is one for each pair of two others. */
const OF_PAIRS = /AppliedTag$|^CourseEnrollment$|^CourseLessonCompletion$/;

beforeAll(async () => {
  gateway = await createGateway();
  tenant = await createTenant(gateway.app, 'walked');
  tenancy = { teamId: tenant.team.id, workspaceIds: null };
  client = await planningClient(gateway);
  // The copies of a reference need no objects.
  await client.query('set session_replication_role = replica');
  for (const noun of LISTED) {
    const filtered = Object.keys(noun.filters ?? {}).map(toSnakeCase);
    await multiplyRow(client, noun.table, tenant.rows[noun.type]?.id ?? 0n, COPIES, ({ name, type }) => {
      const field = Object.entries(noun.fields).find(([property]) => toSnakeCase(property) === name)?.[1];
      const tied = (noun.sorts ?? []).map(toSnakeCase).includes(name) ? TIED[name] : undefined;
      if (tied !== undefined) return tied;
      if (name.endsWith('_number') && type === 'int4') return `t.${name} + n`;
      if (filtered.includes(name) && type === 'int8' && OF_PAIRS.test(noun.type)) return `t.${name} + n`;
      if (type === 'text' && field?.type === 'text' && field.values === undefined && field.format !== 'color')
        return `t.${name} || n`;
      return `t.${name}`;
    });
  }
  await client.query('set session_replication_role = origin');
});
afterAll(async () => {
  await client.end();
  await gateway.close();
});

interface Placed {
  readonly id: bigint;
  readonly value: SortValue;
}

/** The key of a value in the model. */
function keyOf(sort: OwnSort, value: SortValue): number | string {
  if (SORT_TYPES[sort] === 'text')
    return String(value ?? '')
      .trim()
      .toLowerCase();
  if (value instanceof Date) return value.getTime();
  return value === null ? Number.NEGATIVE_INFINITY : Number(value);
}

function compare(sort: OwnSort, one: Placed, two: Placed): number {
  const [left, right] = [keyOf(sort, one.value), keyOf(sort, two.value)];
  return (left < right ? -1 : left > right ? 1 : 0) || Number(one.id - two.id);
}

describe.each(CASES)('$type by $sort', ({ noun, type, sort }) => {
  const table = tableOf(noun as Described);
  const parentId = async () => {
    const { rows } = await client.query<{ id: string }>(
      `select ${toSnakeCase(parentKeyOf(noun))} as id from ${noun.table} where id = $1`,
      [tenant.rows[noun.type]?.id],
    );
    return BigInt(rows[0]?.id ?? 0);
  };
  const read = async (request: Partial<PageRequest>) => {
    const page = {
      sort,
      order: 'asc',
      size: 100,
      after: null,
      before: null,
      backward: false,
      ...request,
    } as const;
    const parent = await parentId();
    const found = await findPageUnder(gateway.app, table, tenancy, parent, page);
    const placed = (rows: readonly { id: bigint }[] = []) =>
      rows.map((row): Placed => ({ id: row.id, value: (row as never as Record<OwnSort, SortValue>)[sort] }));
    // The same with others’, in one statement.
    const [beside] = await findPagesUnder(gateway.app, table, tenancy, [parent, parent + 1_000_000n], page);
    expect(placed(beside?.rows)).toEqual(placed(found?.rows));
    return placed(found?.rows);
  };

  test('has the order of the model, rows without a value first, those with the same value by their ids', async () => {
    const all = await read({});
    expect(all.length).toBeGreaterThanOrEqual(COPIES);
    expect(all).toEqual(all.toSorted((one, two) => compare(sort, one, two)));
    expect(await read({ order: 'desc' })).toEqual(all.toReversed());
  });

  const ways = [
    ['asc', false],
    ['desc', false],
    ['asc', true],
    ['desc', true],
  ] as const;

  test.each(sampleAt(`${type} ${sort}`, ways, 4))(
    '%s, from the end: %s: pages have every row once',
    async (order, backward) => {
      const all = await read({ order });
      const walked: Placed[] = [];
      let at: Placed | undefined;
      do {
        const place =
          at &&
          (backward ? { before: at.id, beforeValue: at.value } : { after: at.id, afterValue: at.value });
        const page = await read({ order, backward, size: 4, ...place });
        at = backward ? page[0] : page.at(-1);
        if (backward) walked.unshift(...page);
        else walked.push(...page);
      } while (at !== undefined && walked.length <= all.length);
      expect(walked).toEqual(all);
    },
  );

  test('between two positions are the rows between them', async () => {
    const all = await read({});
    const [from, to] = [all[2], all[9]] as [Placed, Placed];
    const within = { after: from.id, afterValue: from.value, before: to.id, beforeValue: to.value };
    expect(await read(within)).toEqual(all.slice(3, 9));
  });
});
