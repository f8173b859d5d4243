// Every workspace starts with a site, a default theme with a style, and e-mail settings.
import type { StoreContext, Transaction } from '../store.ts';
import { withTransaction } from './transactions.ts';

/** The ids of those of which a workspace has one. */
export interface FirstObjects {
  readonly site: bigint;
  readonly emailSettings: bigint;
}

type Models = Pick<Transaction, 'site' | 'theme' | 'style' | 'emailSettings'>;

interface Started {
  readonly id: bigint;
  readonly name: string;
  readonly createdAt: Date;
}

/** Inserts what a workspace starts with, which was created in the same transaction. */
export async function insertFirstObjects(tx: Models, workspace: Started): Promise<void> {
  await insertSite(tx, workspace);
  await insertEmailSettings(tx, workspace);
}

async function insertSite(tx: Models, { id: workspaceId, name, createdAt }: Started): Promise<void> {
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

async function insertEmailSettings(tx: Models, { id: workspaceId, createdAt }: Started): Promise<void> {
  await tx.emailSettings.create({ data: { workspaceId, createdAt, updatedAt: createdAt } });
}

/**
 * Adds what a workspace starts with and an earlier version has created it without: during an upgrade such processes still run.
 * @returns the ids
 */
export async function completeWorkspace(
  ctx: Pick<StoreContext, 'store'>,
  workspace: Started,
): Promise<FirstObjects> {
  const ofWorkspace = { where: { workspaceId: workspace.id }, select: { id: true } };
  return withTransaction(ctx, async (tx) => {
    // Serializes concurrent callers.
    await tx.$executeRaw`select from workspaces where id = ${workspace.id} for update`;
    if ((await tx.site.findUnique(ofWorkspace)) === null) await insertSite(tx, workspace);
    if ((await tx.emailSettings.findUnique(ofWorkspace)) === null) await insertEmailSettings(tx, workspace);
    return {
      site: (await tx.site.findUniqueOrThrow(ofWorkspace)).id,
      emailSettings: (await tx.emailSettings.findUniqueOrThrow(ofWorkspace)).id,
    };
  });
}
