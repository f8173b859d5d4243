// What our access tokens say besides the claims of RFC 9068: team, workspaces, grant.
import { type AccessToken, type ClientCredentials, errors } from 'oidc-provider';
import type { App } from '../context.ts';
import { findClient } from '../store/oauth-clients.ts';
import { findGrantByKey } from '../store/oauth-grants.ts';

/** The claims, by the names that access-tokens.ts reads. */
interface OwnClaims extends Record<string, unknown> {
  /** The team's id. */
  readonly team: string;
  /** Ids of workspaces; absent: every one of the team's. */
  readonly workspaces?: readonly string[];
  /** The grant's key; absent where a client acts for itself. */
  readonly grant?: string;
}

/**
 * The claims of a token that is about to be signed.
 * @throws InvalidGrant, InvalidClient when there is no team that it could be for
 */
export async function claimsOf(app: App, token: AccessToken | ClientCredentials): Promise<OwnClaims> {
  if (token.kind === 'ClientCredentials') {
    const client = await findClient(app.store, token.clientId ?? '');
    if (client === null || client.teamId === null)
      throw new errors.InvalidClient('the client acts for no team');
    return reachOf({ ...client, teamId: client.teamId });
  }
  const grant = await findGrantByKey(app.store, token.grantId, app.clock());
  if (grant === null || grant.teamId === null) throw new errors.InvalidGrant('the grant is not complete');
  return { ...reachOf({ ...grant, teamId: grant.teamId }), grant: grant.key };
}

function reachOf(of: { teamId: bigint; wholeTeam: boolean; workspaceIds: readonly bigint[] }): OwnClaims {
  const { teamId, wholeTeam, workspaceIds } = of;
  return { team: String(teamId), ...(!wholeTeam && { workspaces: workspaceIds.map(String) }) };
}
