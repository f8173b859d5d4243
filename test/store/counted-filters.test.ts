// Each filter of each list: its rows are counted, and further ones found, as its page shows them.
import { describe, expect, test } from 'vitest';
import type { FilterValues } from '../../src/pagination.ts';
import { parentKeyOf } from '../../src/resources/description/ancestors.ts';
import { type FilterForm, filtersOf, rangesOf } from '../../src/resources/description/lists.ts';
import { toSnakeCase } from '../../src/resources/description/names.ts';
import { type Described, NOUNS } from '../../src/resources/nouns.ts';
import { countUnder, existsUnder } from '../../src/store/reading/counts.ts';
import { findPageUnder } from '../../src/store/reading/pages.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { sharedGateway } from '../support/gateway.ts';
import { createTenant } from '../support/operations.ts';

const { app } = await sharedGateway();
const tenant = await createTenant(app, 'counted');
const { id: teamId } = tenant.team;
const { id: workspaceId } = tenant.workspace;
const ALL = { order: 'asc', size: 100, after: null, before: null, backward: false } as const;

const LISTED = NOUNS.filter(({ filters, parent }) => filters !== undefined && parent !== undefined);

function valuesOf({ type, values, idsOf }: FilterForm): FilterValues[string] {
  if (type === 'bool') return [true];
  if (values !== undefined) return values;
  if (idsOf === undefined) return ['1'];
  const of = NOUNS.find(({ table }) => table === idsOf.table);
  return [tenant.rows[of?.type ?? '']?.id ?? 1n];
}

/** The parent of the tenant's object. */
async function parentOf(noun: Described): Promise<bigint> {
  const { rows } = await app.store.pool.query<{ id: string }>({
    text: `select ${toSnakeCase(parentKeyOf(noun))} as id from ${noun.table} where id = $1`,
    values: [tenant.rows[noun.type]?.id ?? workspaceId],
  });
  return BigInt(rows[0]?.id ?? workspaceId);
}

describe.each(LISTED as Described[])('$type', (noun) => {
  const filters: FilterValues[] = [
    ...filtersOf(noun).map((form) => ({ [form.property]: valuesOf(form) })),
    ...rangesOf(noun).map(({ property }) => ({ [property]: ['-infinity', 'infinity'] })),
  ];

  test.each(filters)('%o', async (filter) => {
    const table = tableOf(noun);
    const parent = await parentOf(noun);
    for (const workspaceIds of [null, [workspaceId]]) {
      const tenancy = { teamId, workspaceIds };
      const page = await findPageUnder({ store: app.store }, table, tenancy, parent, { ...ALL, filter });
      const ids = page?.rows.map((row) => row.id) ?? [];
      for (const parents of [[parent], [parent, 999_999_999n]]) {
        const [count] = await countUnder(app, table, tenancy, parents, { filter });
        expect({ workspaceIds, parents, ...count }).toEqual({
          ...{ workspaceIds, parents },
          ...{ count: ids.length, isExact: true },
        });
        for (const id of ids.slice(0, 1))
          for (const side of ['at_or_below', 'at_or_above'] as const)
            expect((await existsUnder(app, table, tenancy, parents, { id, side, filter }))[0]).toBe(true);
      }
    }
  });
});
