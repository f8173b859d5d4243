// The SQL that is specific to changes of themes: a workspace has one default theme.
import type { Executor } from '../connections/executor.ts';
import { tableOf } from '../tables/tables.ts';
import { themeTable } from '../tables/themes.ts';
import { changeRows, lockNamed } from './other-rows.ts';
import type { ChangeRecord } from './records.ts';

const THEMES = tableOf(themeTable);

/** Makes a locked theme the default. @returns the change of the previous default */
export async function makeDefault(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
): Promise<readonly ChangeRecord[]> {
  await lockNamed(tx, 'default-theme', workspaceId);
  const rows = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    'select t.id from themes t where t.workspace_id = $1::bigint and t.is_default for update of t',
    workspaceId,
  );
  const before = rows.map((row) => row.id);
  const changed = await changeRows(tx, THEMES, workspaceId, before, 'is_default = false');
  await changeRows(tx, THEMES, workspaceId, [id], 'is_default = true');
  return changed;
}
