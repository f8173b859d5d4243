// The SQL that is specific to changes of shipping: how they change other rows, and what other rows do not allow.
import { shippingRateName } from '../../resources/shipping-rate-names.ts';
import { shippingRate } from '../../resources/shipping-rates.ts';
import type { Executor } from '../connections/executor.ts';
import { shippingLocationGroupTable } from '../tables/shipping-location-groups.ts';
import { shippingPackageTable } from '../tables/shipping-packages.ts';
import { tableOf } from '../tables/tables.ts';
import { insertRows } from './insert-rows.ts';
import { changeRows, creationRecords, lockNamed, requireUnreferenced } from './other-rows.ts';
import { timeOf } from './records.ts';
import { type ChangeRules, type ChangingRow, Refused } from './rules.ts';

const GROUPS = tableOf(shippingLocationGroupTable);
const PACKAGES = tableOf(shippingPackageTable);
const RATES = tableOf(shippingRate);

/** A workspace has one default package: a new default replaces the previous one. */
export const SHIPPING_PACKAGE_RULES: ChangeRules = {
  others: {
    nouns: [PACKAGES],
    async before(tx, { workspaceId, before, given }) {
      const was = before !== null && (JSON.parse(before) as { default_package: boolean }).default_package;
      if (given?.columns['default_package'] !== true || was) return [];
      await lockNamed(tx, 'default-package', workspaceId);
      const rows = await tx.$queryRawUnsafe<{ id: bigint }[]>(
        'select t.id from shipping_packages t where t.workspace_id = $1::bigint and t.default_package for update of t',
        workspaceId,
      );
      const ids = rows.map(({ id }) => id);
      return changeRows(tx, PACKAGES, workspaceId, ids, 'default_package = false');
    },
  },
};

/** The maximum number of variants in an error. */
const MAX_NAMED = 5;

/** A variant is in at most one profile. A new profile gets its location group. */
export const SHIPPING_PROFILE_RULES: ChangeRules = {
  others: {
    nouns: [GROUPS],
    async before(tx, row) {
      await requireInNoOther(tx, row);
      return [];
    },
    async after(tx, { workspaceId, id, before, given }) {
      if (before !== null || given === null) return [];
      const now = await timeOf(tx, GROUPS);
      const [group] = await insertRows<{ id: bigint }>(tx, {
        insert: 'insert into shipping_location_groups (workspace_id, profile_id, created_at, updated_at)',
        workspaceId,
        types: ['bigint', 'timestamptz', 'timestamptz'],
        rows: [[id, now, now]],
        returning: 'id',
      });
      return group === undefined ? [] : creationRecords(tx, GROUPS, workspaceId, [group.id]);
    },
  },
};

async function requireInNoOther(tx: Executor, { workspaceId, id, given }: ChangingRow): Promise<void> {
  const ids = (given?.columns['variant_ids'] ?? []) as readonly bigint[];
  if (ids.length === 0) return;
  if (new Set(ids).size < ids.length)
    throw new Refused('variantIds', { code: 'repeated', message: 'must have each variant once' });
  await lockNamed(tx, 'shipping-profiles', workspaceId);
  const taken = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `select v.id from shipping_profiles t cross join lateral unnest(t.variant_ids) v (id)
      where t.workspace_id = $1::bigint and t.id is distinct from $2::bigint and v.id = any($3::bigint[]) order by v.id limit ${MAX_NAMED}`,
    ...[workspaceId, id, ids],
  );
  if (taken.length > 0)
    throw new Refused('variantIds', {
      code: 'taken',
      message: 'has variants of another profile',
      which: `: ${taken.map((variant) => variant.id).join(', ')}`,
    });
}

/** A name cannot be removed while rates have it. */
export const SHIPPING_RATE_NAME_RULES: ChangeRules = {
  others: {
    nouns: [],
    async before(tx, row) {
      await requireUnreferenced(tx, shippingRateName, RATES, 'rates_name_id', row);
      return [];
    },
  },
};
