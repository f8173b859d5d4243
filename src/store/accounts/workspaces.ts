// Workspaces as rows, for what is not read through tables.ts.
import type { Workspace } from '#prisma';
import { insertSite } from '../changing/sites.ts';
import { type Store, withPrisma } from '../store.ts';

/** A workspace with its custom domains. */
export type StoredWorkspace = Workspace & { readonly domains: readonly string[] };

/** The columns of a new workspace. */
export type NewWorkspace = Pick<Workspace, 'teamId' | 'name' | 'subdomain' | 'createdAt'>;

/** Whether there is a workspace with this id. */
export async function hasWorkspace(store: Store, id: bigint): Promise<boolean> {
  const workspace = await withPrisma(store, (prisma) =>
    prisma.workspace.findUnique({ where: { id }, select: { id: true } }),
  );
  return workspace !== null;
}

/** Inserts a workspace with what each has from the start. @throws the store's error for a subdomain in use */
export async function insertWorkspace(store: Store, workspace: NewWorkspace): Promise<StoredWorkspace> {
  const data = { ...workspace, updatedAt: workspace.createdAt };
  const row = await withPrisma(store, (prisma) =>
    prisma.$transaction(async (tx) => {
      const made = await tx.workspace.create({ data });
      await insertSite(tx, made);
      return made;
    }),
  );
  return { ...row, domains: [] };
}

/**
 * Changes a workspace's subdomain. It works with every version of the database schema.
 * @throws the store's error for a subdomain in use
 */
export async function setWorkspaceSubdomain(
  store: Store,
  id: bigint,
  subdomain: string,
  updatedAt: Date,
): Promise<Pick<Workspace, 'id' | 'publicId' | 'name' | 'subdomain'>> {
  const data = { subdomain, updatedAt };
  const select = { id: true, publicId: true, name: true, subdomain: true };
  return withPrisma(store, (prisma) => prisma.workspace.update({ where: { id }, data, select }));
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
