// Workspaces as rows, for reads that do not go through tables.ts.
import type { Workspace } from '#prisma';
import { type WorkspaceRow, workspace } from '../../resources/workspaces.ts';
import { insertFirstObjects } from '../changing/first-objects.ts';
import { withTransaction } from '../changing/transactions.ts';
import type { Store } from '../store.ts';
import { findListed } from './listed.ts';

/** A workspace with its custom domains. */
export type StoredWorkspace = WorkspaceRow & { readonly domains: readonly string[] };

/** The columns of a new workspace. */
export type NewWorkspace = Pick<Workspace, 'teamId' | 'name' | 'subdomain' | 'createdAt'>;

/** Inserts a workspace with what it starts with. @throws the store's error for a subdomain in use */
export async function insertWorkspace(store: Store, created: NewWorkspace): Promise<StoredWorkspace> {
  const data = { ...created, updatedAt: created.createdAt };
  return withTransaction({ store }, async (tx) => {
    const made = await tx.workspace.create({ data });
    await insertFirstObjects(tx, made);
    return { ...made, domains: [] };
  });
}

/** The workspaces of one team or of all, by id. */
export async function findWorkspaces(store: Store, teamId: bigint | null): Promise<StoredWorkspace[]> {
  const domains = 'array(select d.host from custom_domains d where d.workspace_id = t.id order by d.id)';
  return findListed(store, workspace, { teamId }, { domains });
}
