// Workspaces of a team.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { type WorkspaceRow, workspace } from '../resources/workspaces.ts';
import { findSubdomain } from '../store/accounts/hosts.ts';
import { readsOf } from './reads.ts';

const { scope, get } = readsOf(workspace);

const MAX_LABEL_CHARS = 63;

/** @throws AppError `not_found` when the caller owns no workspace with this subdomain */
export async function getBySubdomain(ctx: Context, subdomain: string): Promise<WorkspaceRow> {
  requireScope(ctx, scope);
  // A label of a host name (RFC 1035 §2.3.4).
  const isLabel = subdomain.length <= MAX_LABEL_CHARS;
  const owner = isLabel ? await findSubdomain(ctx.store, subdomain.toLowerCase()) : null;
  if (owner?.workspaceId == null) throw notFound('Workspace');
  return get(ctx, owner.workspaceId);
}
