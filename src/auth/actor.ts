// Who sends a request: a closed union by `kind`, determined once a request.
import type { Tenancy } from '../store/sql/tenancy.ts';

export interface AnonymousActor {
  readonly kind: 'anonymous';
  /** Why a credential that was sent is no good; null when none was sent. */
  readonly rejected: string | null;
}

interface ApiKeyActor {
  readonly kind: 'api_key';
  readonly apiKeyId: bigint;
  readonly publicId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: Date | null;
  readonly tenancy: Tenancy;
}

/** The bearer of an OAuth access token: ours (RFC 9068), or of the outside issuer that `OAUTH_ISSUER` names. */
export interface OauthActor {
  readonly kind: 'oauth';
  /** `iss`. */
  readonly issuer: string;
  /** `sub`: the user's public id, or the client's id where it acts for itself. */
  readonly subject: string;
  readonly clientId: string;
  /** The client's name; null for a client of an outside issuer. */
  readonly clientName: string | null;
  /** The person who granted it; null for client credentials and for outside issuers. */
  readonly user: {
    readonly id: bigint;
    readonly publicId: string;
    readonly name: string;
    readonly email: string;
  } | null;
  /** The grant that the token was issued for; null for client credentials and for outside issuers. */
  readonly grantId: bigint | null;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: Date;
  /** The workspaces that were granted; null: every one of the team. `tenancy` is limited by the host as well. */
  readonly grantedWorkspaceIds: readonly bigint[] | null;
  readonly tenancy: Tenancy;
}

export type Actor = AnonymousActor | ApiKeyActor | OauthActor;

/** Anybody but `anonymous`. */
export type Caller = ApiKeyActor | OauthActor;

/** The caller in a few words, for records of what they did. */
export function nameOf(caller: Caller): string {
  if (caller.kind === 'api_key') return `API key ${caller.publicId}`;
  const { user, clientId } = caller;
  return user === null ? `client ${clientId}` : `user ${user.publicId} over client ${clientId}`;
}

/** What names the caller's credential for good: all tokens of one grant are one credential. */
export function credentialOf(caller: Caller): string {
  if (caller.kind === 'api_key') return `api_key ${caller.apiKeyId}`;
  const { issuer, clientId, subject, grantId } = caller;
  return JSON.stringify(['oauth', issuer, clientId, subject, grantId === null ? null : String(grantId)]);
}
