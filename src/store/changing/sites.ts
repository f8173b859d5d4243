// Every workspace starts with a site, and a default theme with a style.
import type { StoreContext, Transaction } from '../store.ts';
import { withTransaction } from './transactions.ts';

/** Inserts the site, theme and style of a workspace that was created in the same transaction. */
export async function insertSite(
  tx: Pick<Transaction, 'site' | 'theme' | 'style'>,
  {
    id: workspaceId,
    name,
    createdAt,
  }: { readonly id: bigint; readonly name: string; readonly createdAt: Date },
): Promise<void> {
  const times = { createdAt, updatedAt: createdAt };
  await tx.site.create({ data: { workspaceId, name, ...times } });
  const theme = await tx.theme.create({
    data: { workspaceId, name: 'Standard', isDefault: true, ...times },
    select: { id: true },
  });
  const style = await tx.style.create({
    data: { workspaceId, themeId: theme.id, name: 'Light', createdAt },
    select: { id: true },
  });
  await tx.theme.update({
    where: { workspaceId_id: { workspaceId, id: theme.id } },
    data: { currentStyleId: style.id, updatedAt: createdAt },
  });
}

/**
 * Adds the site, theme and style to a workspace that an earlier version created without them: during an upgrade such processes still run.
 * @returns the id of the site
 */
export async function completeWorkspace(
  ctx: Pick<StoreContext, 'store'>,
  workspace: Parameters<typeof insertSite>[1],
): Promise<bigint> {
  const ofWorkspace = { where: { workspaceId: workspace.id }, select: { id: true } };
  return withTransaction(ctx, async (tx) => {
    // Serializes concurrent callers.
    await tx.$executeRaw`select from workspaces where id = ${workspace.id} for update`;
    if ((await tx.site.findUnique(ofWorkspace)) === null) await insertSite(tx, workspace);
    return (await tx.site.findUniqueOrThrow(ofWorkspace)).id;
  });
}
