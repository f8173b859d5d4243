// Workspaces of a team, as their clients see and change them.
import { requireCaller, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { parseAll } from '../../errors.ts';
import { type WorkspaceRow, workspace } from '../../resources/workspaces.ts';
import { findSubdomain } from '../../store/accounts/hosts.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { openReadsOf } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { changeAccount } from './account-changes.ts';
import { parseName } from './names.ts';
import { parseLabel, requireUnreserved } from './subdomains.ts';

const { getMany } = openReadsOf(workspace);

const MAX_LABEL_CHARS = 63;

/** The row of its open fields; null when the caller owns no workspace with this subdomain. */
export async function findBySubdomain(ctx: Context, subdomain: string): Promise<WorkspaceRow | null> {
  requireCaller(ctx);
  // A label of a host name (RFC 1035 §2.3.4).
  const isLabel = subdomain.length <= MAX_LABEL_CHARS;
  const owner = isLabel ? await findSubdomain(ctx.store, subdomain.toLowerCase()) : null;
  if (owner?.workspaceId == null) return null;
  const [row] = await getMany(ctx, [owner.workspaceId]);
  return row ?? null;
}

export const writeScope = scopeFor(workspace, 'write');

/** Changes a workspace. A new subdomain works at once. @throws AppError as `changeAccount` does */
export async function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<WorkspaceRow & { id: bigint }>> {
  const done = await changeAccount(ctx, workspace, ref, input, options, {
    settle: ({ name, subdomain }) =>
      parseAll({
        ...(name !== undefined && { name: () => parseName(name) }),
        ...(subdomain !== undefined && { subdomain: () => parseLabel(subdomain) }),
      }),
    // A workspace keeps a subdomain that was reserved later.
    requireAllowed({ subdomain }, before) {
      if (subdomain !== undefined && subdomain !== before['subdomain']) requireUnreserved(ctx, subdomain);
    },
  });
  await ctx.lookups.forget();
  return done;
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(workspace, { writes: { writeScope, update } });
