// Changes of teams and workspaces by their clients. Their tables have no `workspace_id`.
import { toSnakeCase } from '../../resources/description/names.ts';
import { timeOf } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

type AccountTable = Pick<Table<{ id: bigint }>, 'owned' | 'resource'> & {
  readonly name: 'teams' | 'workspaces';
};

/** SQL of the workspace whose audit trail gets the changes: for a team, its first workspace. */
const RECORDED_IN = {
  teams: '(select min(w.id) from workspaces w where w.team_id = t.id)',
  workspaces: 't.id',
} as const;

/** Locks a row that the caller owns until the transaction ends; null if there is none. */
export async function lockAccountRow(
  tx: Executor,
  { name, owned }: AccountTable,
  { teamId, workspaceIds }: Tenancy,
  id: bigint,
): Promise<{ workspaceId: bigint | null } | null> {
  const [locked = null] = await tx.$queryRawUnsafe<{ workspaceId: bigint | null }[]>(
    `select ${RECORDED_IN[name]} as "workspaceId" from ${name} t
      where t.id = $1::bigint and ${owned('$2::bigint', '$3')} for update of t`,
    ...[id, teamId, workspaceIds],
  );
  return locked;
}

/** Sets texts of a locked row. @param given the texts by property */
export async function setTexts(
  tx: Executor,
  table: AccountTable,
  id: bigint,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const set = Object.keys(given).map((property, index) => `${toSnakeCase(property)} = $${index + 3}::text`);
  await tx.$executeRawUnsafe(
    `update ${table.name} t set ${[...set, 'updated_at = later_time(t.updated_at, $2::timestamptz)'].join(', ')}
      where t.id = $1::bigint`,
    ...[id, await timeOf(tx, table), ...Object.values(given)],
  );
}
