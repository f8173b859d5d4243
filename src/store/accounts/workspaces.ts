// Workspaces as rows, for what is not read through tables.ts.
import type { Workspace } from '#prisma';
import { insertSite } from '../changing/sites.ts';
import { withTransaction } from '../changing/transactions.ts';
import { type Store, withPrisma } from '../store.ts';

/** A workspace with its custom domains. */
export type StoredWorkspace = Workspace & { readonly domains: readonly string[] };

/** The columns of a new workspace. */
export type NewWorkspace = Pick<Workspace, 'teamId' | 'name' | 'subdomain' | 'createdAt'>;

/** Inserts a workspace with what each has from the start. @throws the store's error for a subdomain in use */
export async function insertWorkspace(store: Store, workspace: NewWorkspace): Promise<StoredWorkspace> {
  const data = { ...workspace, updatedAt: workspace.createdAt };
  return withTransaction({ store }, async (tx) => {
    const made = await tx.workspace.create({ data });
    await insertSite(tx, made);
    return { ...made, domains: [] };
  });
}

/** The workspaces of one team or of all, by id. */
export async function findWorkspaces(store: Store, teamId: bigint | null): Promise<StoredWorkspace[]> {
  const where = teamId === null ? {} : { teamId };
  const include = { customDomains: { select: { host: true }, orderBy: { id: 'asc' as const } } };
  const workspaces = await withPrisma(store, (prisma) =>
    prisma.workspace.findMany({ where, orderBy: { id: 'asc' }, include }),
  );
  return workspaces.map(({ customDomains, ...workspace }) => ({
    ...workspace,
    domains: customDomains.map(({ host }) => host),
  }));
}
