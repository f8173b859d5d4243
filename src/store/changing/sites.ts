// What every workspace has from the start: its site, and a default theme with a style.
import type { Transaction } from '../store.ts';

/** Inserts it. @param workspace a new one, in the same transaction */
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
