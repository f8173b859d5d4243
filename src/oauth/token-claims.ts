// The claims that our access tokens have in addition to RFC 9068: team, workspaces, grant.
import { type AccessToken, type ClientCredentials, errors } from 'oidc-provider';
import type { App } from '../context.ts';
import { findClient, findGrantByKey } from '../services/sign-in/oauth-records.ts';

/** The claims, by the names that auth/access-tokens.ts reads. */
interface OwnClaims extends Record<string, unknown> {
  /** The team's id. */
  readonly team: string;
  /** Ids of workspaces; absent: every workspace of the team. */
  readonly workspaces?: readonly string[];
  /** The grant's key; absent when a client acts for itself. */
  readonly grant?: string;
}

/**
 * The claims of a token that is about to be signed.
 * @throws InvalidGrant, InvalidClient when it would belong to no team
 */
export async function claimsOf(app: App, token: AccessToken | ClientCredentials): Promise<OwnClaims> {
  if (token.kind === 'ClientCredentials') {
    const client = await findClient(app, token.clientId ?? '');
    if (client === null || client.teamId === null)
      throw new errors.InvalidClient('the client acts for no team');
    return tenancyClaims({ ...client, teamId: client.teamId });
  }
  const grant = await findGrantByKey(app, token.grantId);
  if (grant === null || grant.teamId === null) throw new errors.InvalidGrant('the grant is not complete');
  return { ...tenancyClaims({ ...grant, teamId: grant.teamId }), grant: grant.key };
}

function tenancyClaims(owner: {
  teamId: bigint;
  wholeTeam: boolean;
  workspaceIds: readonly bigint[];
}): OwnClaims {
  const { teamId, wholeTeam, workspaceIds } = owner;
  return { team: String(teamId), ...(!wholeTeam && { workspaces: workspaceIds.map(String) }) };
}
