// A team's OAuth clients as its own callers see them: never the secret or its hash. A caller whose host or grant is limited to some of the
// team's workspaces can neither see nor change any client.
import { requireScope } from '../../auth/scopes.ts';
import { createClientId } from '../../auth/tokens.ts';
import type { Context } from '../../context.ts';
import { invalid, parseAll, preconditionFailed } from '../../errors.ts';
import {
  MAX_CLIENT_NAME_LENGTH,
  NEW_OAUTH_CLIENT,
  OAUTH_CLIENT_NAME,
  type TeamOauthClientRow,
  teamOauthClient,
} from '../../resources/team-oauth-clients.ts';
import { plainRow } from '../../rows/plain-row.ts';
import { insertClient, renameClient } from '../../store/accounts/oauth-clients.ts';
import { findWorkspaces } from '../../store/accounts/workspaces.ts';
import { beginChange } from '../../store/changing/transactions.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { teamOauthClientTable } from '../../store/tables/team-oauth-clients.ts';
import { parseName } from '../accounts/names.ts';
import { endOf, requireCovered, requireTeam, requireWithin } from '../accounts/new-credentials.ts';
import { type Input, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { requireRow } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { registration } from './client-registration.ts';
import { endClient } from './oauth-grants.ts';

const CLIENTS = tableOf(teamOauthClientTable);

type Client = TeamOauthClientRow & { readonly id: bigint };

/** The scope for creating, renaming and revoking clients. */
export const writeScope = 'account:write';

/** The current state of a client. */
export type ClientStatus = 'active' | 'expired' | 'revoked';

export function statusOf(
  { revokedAt, expiresAt }: Pick<TeamOauthClientRow, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ClientStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/**
 * Creates a client of the caller's team. By itself it may do no more, and for no longer, than the credential of the request; what people
 * grant it is limited by their own rights, and to this team. It is never a legacy client. The client belongs to no workspace, so no audit
 * trail records it; the secret is stored nowhere, so a retry cannot be answered again.
 * @throws AppError `invalid` for terms that contradict each other or go beyond the caller's, and for an idempotency key; `not_found` for
 *   another team, and for a caller that is limited to some workspaces
 */
export async function create(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<{ row: Client & { clientSecret: string | null }; outcome: 'created' }> {
  const caller = requireScope(ctx, writeScope);
  const teamId = await requireTeam(ctx, caller, ref, options, 'secret');
  const now = ctx.clock();
  const latest = await endOf(ctx, caller);
  const nameOf = (property: keyof typeof NEW_OAUTH_CLIENT) =>
    input.nameOf(property, NEW_OAUTH_CLIENT[property]);
  const given = parseFields(NEW_OAUTH_CLIENT, input, 'creation', false, (some) =>
    parseAll({
      name: () => some.name !== undefined && parseName(some.name, MAX_CLIENT_NAME_LENGTH),
      scopes: () =>
        some.scopes !== undefined &&
        requireCovered(caller, some.scopes, { field: nameOf('scopes'), who: 'A client' }),
      expiresAt: () => requireWithin(some.expiresAt, { now, latest }, nameOf('expiresAt')),
    }),
  );
  const { name = '', scopes = [], grantTypes: grants = [] } = given;
  const { redirectUris = [], isPublic = false } = given;
  const { columns, secret, usesCredentials } = registration(
    { name, grants, scopes, redirectUris, isPublic },
    {
      grants: nameOf('grantTypes'),
      redirectUris: nameOf('redirectUris'),
      isPublic: nameOf('isPublic'),
    },
  );
  const workspaceIds = await requireWorkspaces(ctx, teamId, given.workspaceIds ?? [], {
    field: nameOf('workspaceIds'),
    usesCredentials,
  });
  const expiresAt = given.expiresAt ?? latest;
  beginChange(ctx);
  const { id: clientId, ofTeam } = await insertClient(ctx.store, {
    ...columns,
    ...{ id: createClientId(), teamId, workspaceIds, wholeTeam: workspaceIds.length === 0 },
    ...{ createdAt: now, expiresAt },
  });
  if (ofTeam === null) throw new Error('A client of a team was inserted without it.');
  const row = {
    ...ofTeam,
    ...{ teamId, clientId, name: columns.name, grantTypes: columns.metadata.grant_types },
    ...{ redirectUris: columns.metadata.redirect_uris, isPublic, scopes: columns.metadata.scope.split(' ') },
    ...{ isWholeTeam: workspaceIds.length === 0, workspaceIds, createdAt: now, expiresAt, revokedAt: null },
    clientSecret: secret,
  };
  return { row, outcome: 'created' };
}

/** @throws AppError `invalid` for `field` */
async function requireWorkspaces(
  ctx: Context,
  teamId: bigint,
  ids: readonly bigint[],
  { field, usesCredentials }: { readonly field: string; readonly usesCredentials: boolean },
): Promise<bigint[]> {
  if (ids.length === 0) return [];
  if (!usesCredentials)
    throw invalid(field, {
      code: 'not_allowed',
      message: 'Only a client with client_credentials is limited to workspaces. People choose theirs.',
    });
  const own = new Set((await findWorkspaces(ctx.store, teamId)).map(({ id }) => id));
  const asked = new Set(ids);
  if (!asked.isSubsetOf(own))
    throw invalid(field, { code: 'not_included', message: 'Choose from the workspaces of the team.' });
  return [...asked];
}

/**
 * Renames a client of the caller's team. It belongs to no workspace, so no audit trail records it.
 * @throws AppError `invalid`; `not_found` when the client does not exist or the caller may not see it
 */
export async function rename(
  ctx: Context,
  ref: Ref,
  input: Input,
  { precondition }: Pick<WriteOptions, 'precondition'>,
): Promise<{ row: Client; outcome: 'updated' }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const given = parseFields(OAUTH_CLIENT_NAME, input, 'change');
  for (;;) {
    const client = await requireRow(ctx, CLIENTS, tenancy, ref);
    if (precondition !== null && !precondition(client)) throw preconditionFailed();
    if (given.name === undefined) return { row: client, outcome: 'updated' };
    const name = parseName(given.name, MAX_CLIENT_NAME_LENGTH);
    const { clientId, teamId } = client;
    beginChange(ctx);
    // If another request has renamed it meanwhile, the precondition is checked again.
    const ifNamed = precondition === null ? null : client.name;
    if (!(await renameClient(ctx.store, { id: clientId, teamId, name, ifNamed }))) continue;
    await ctx.lookups.forget();
    return { row: { ...plainRow(teamOauthClient, client), name }, outcome: 'updated' };
  }
}

/**
 * Revokes a client of the caller's team at once, with all grants and tokens issued to it, even the token that the caller uses.
 * The operation is idempotent, so it needs no idempotency key. It belongs to no workspace, so no audit trail records it.
 * @throws AppError `not_found` when the client does not exist or the caller may not see it
 */
export async function revoke(
  ctx: Context,
  ref: Ref,
  { precondition }: Pick<WriteOptions, 'precondition'> = { precondition: null },
): Promise<{ id: bigint }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const client = await requireRow(ctx, CLIENTS, tenancy, ref);
  if (precondition !== null && !precondition(client)) throw preconditionFailed();
  beginChange(ctx);
  await endClient(ctx, client.clientId);
  return client;
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(teamOauthClient);
