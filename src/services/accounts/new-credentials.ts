// The rules for credentials that a caller creates for its team: they allow no more, and for no longer, than the caller's own credential.
import type { Caller } from '../../auth/actor.ts';
import { coversScope, SCOPES, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, notFound, outOfRange, preconditionFailed } from '../../errors.ts';
import { apiKey } from '../../resources/api-keys.ts';
import { team } from '../../resources/teams.ts';
import { toTimestamp } from '../../rows/json.ts';
import { findClient } from '../../store/accounts/oauth-clients.ts';
import { findGrants } from '../../store/accounts/oauth-grants.ts';
import { findByIds } from '../../store/reading/rows.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { requireRow } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { parseKnown } from './names.ts';

const API_KEYS = tableOf(apiKey);
const TEAMS = tableOf(team);

/**
 * The id of the team for which the caller creates a credential.
 * @param what the name of the credential in sentences
 * @throws AppError `not_found` for another team, and for a caller that is limited to some workspaces, since credentials are for the whole
 *   team; `invalid` for an idempotency key
 */
export async function requireTeam(
  ctx: Context,
  { tenancy }: Caller,
  ref: Ref,
  { idempotencyKey, precondition }: WriteOptions,
  what: string,
): Promise<bigint> {
  const { id } = await requireRow(ctx, TEAMS, tenancy, ref);
  if (tenancy.workspaceIds !== null) throw notFound(TEAMS.title);
  if (idempotencyKey !== null)
    throw invalid(idempotencyKey.field, {
      code: 'invalid_key',
      message: `cannot be used here: a ${what} is shown once, so the answer to a retry could not have it`,
    });
  // There is nothing yet for which it could hold (RFC 9110 §13.1.1).
  if (precondition !== null) throw preconditionFailed();
  return id;
}

/** @throws AppError `invalid` for `field` @param who the owner of the scopes, for messages */
export function requireCovered(
  caller: Caller,
  asked: readonly string[],
  { field, who }: { readonly field: string; readonly who: string },
): void {
  const [beyond] = parseKnown(asked, SCOPES, 'scope', who).filter(
    (scope) => !coversAsked(caller.scopes, scope),
  );
  if (beyond !== undefined)
    throw invalid(field, {
      code: 'not_allowed',
      message: `cannot contain ${beyond}, which the credential of the request does not have`,
    });
}

/** Requires an end in the future that is not after `latest`. @throws AppError `invalid` for `field` */
export function requireWithin(
  end: Date | null | undefined,
  { now, latest }: { readonly now: Date; readonly latest: Date | null },
  field: string,
): void {
  const expiresAt = end ?? latest;
  if (expiresAt === null || (expiresAt > now && (latest === null || expiresAt <= latest))) return;
  const until = latest && toTimestamp(latest);
  throw invalid(
    field,
    outOfRange(
      until === null
        ? 'in the future'
        : `in the future, and at most ${until}, when the credential of the request ends`,
    ),
  );
}

/** Whether a caller with these scopes may give this one away: `read` and `write` only if they have the same. */
function coversAsked(granted: ReadonlySet<string>, asked: string): boolean {
  return asked.includes(':') ? coversScope(granted, asked as Scope) : granted.has(asked);
}

/**
 * When the caller's credential ends: a key, or a client and its grant, whose tokens are renewed. Null: never. A client of another issuer is
 * known by its token alone.
 */
export async function endOf(ctx: Context, caller: Caller): Promise<Date | null> {
  const { teamId } = caller.tenancy;
  if (caller.kind === 'api_key') {
    const [own] = await findByIds(ctx, API_KEYS, { teamId, workspaceIds: null }, [caller.apiKeyId], null);
    return earliest(own?.expiresAt, own?.revokedAt);
  }
  const { grantId, clientId, clientName, expiresAt } = caller;
  const [client, [grant] = []] = await Promise.all([
    clientName === null ? null : findClient(ctx, clientId),
    grantId === null ? [] : findGrants(ctx.store, { id: grantId }),
  ]);
  const isRenewed = grantId === null ? client !== null : grant?.expiresAt != null;
  return earliest(client?.expiresAt, grant?.expiresAt, isRenewed ? null : expiresAt);
}

function earliest(...ends: readonly (Date | null | undefined)[]): Date | null {
  const [first = null] = ends.filter((end) => end != null).toSorted((a, b) => a.getTime() - b.getTime());
  return first;
}
