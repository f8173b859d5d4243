// The SQL that is specific to changes of funnels: the path of a new funnel without one.
import type { Executor } from '../connections/executor.ts';
import { toPath, withSlash } from '../sql/paths.ts';
import { lockNamed } from './other-rows.ts';
import type { ChangeRules, ChangingRow } from './rules.ts';
import { updateTaggedFunnels } from './tagged-funnels.ts';

export const FUNNEL_RULES: ChangeRules = {
  derived: { current_path: { onCreate: '$path::text', onUpdate: 'o.current_path' } },
  others: {
    nouns: [],
    parameters: async (tx, row) => ({ path: await pathFor(tx, row) }),
  },
  updateOtherTables: updateTaggedFunnels,
};

/** The client's path, or one made from the name that no other funnel of the workspace has. */
async function pathFor(tx: Executor, { workspaceId, given }: ChangingRow): Promise<string> {
  const { current_path: wanted, name } = given?.columns ?? {};
  if (typeof wanted === 'string') return withSlash(wanted);
  const path = withSlash(toPath(String(name), 'funnel'));
  await lockNamed(tx, 'funnel-path', workspaceId);
  const rows = await tx.$queryRawUnsafe<{ path: string }[]>(
    `select f.current_path as path from funnels f where f.workspace_id = $1::bigint and starts_with(f.current_path, $2::text)`,
    ...[workspaceId, path],
  );
  const taken = new Set(rows.map((row) => row.path));
  if (!taken.has(path)) return path;
  let number = 2;
  while (taken.has(`${path}-${number}`)) number += 1;
  return `${path}-${number}`;
}
