// Who sends a request: a closed union by `kind`, determined once for each request.
import type { Tenancy } from '../store/sql/tenancy.ts';

export interface AnonymousActor {
  readonly kind: 'anonymous';
  /** Why the credential that was sent is invalid; null when none was sent. */
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

/** The bearer of an OAuth access token: our own (RFC 9068), or one of the outside issuer in `OAUTH_ISSUER`. */
export interface OauthActor {
  readonly kind: 'oauth';
  /** `iss`. */
  readonly issuer: string;
  /** `sub`: the user's public id, or the client's id if the client acts for itself. */
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
  /** null: the token lives as long as its grant, which has no end. */
  readonly expiresAt: Date | null;
  /** The granted workspaces; null: every workspace of the team. The host limits `tenancy` further. */
  readonly grantedWorkspaceIds: readonly bigint[] | null;
  readonly tenancy: Tenancy;
}

export type Actor = AnonymousActor | ApiKeyActor | OauthActor;

/** An authenticated actor. */
export type Caller = ApiKeyActor | OauthActor;

/** A short name of the caller for records of their changes. */
export function nameOf(caller: Caller): string {
  if (caller.kind === 'api_key') return `API key ${caller.publicId}`;
  const { user, clientId } = caller;
  return user === null ? `client ${clientId}` : `user ${user.publicId} over client ${clientId}`;
}

/** A permanent name of the caller's credential: all tokens of one grant are one credential. */
export function credentialOf(caller: Caller): string {
  if (caller.kind === 'api_key') return `api_key ${caller.apiKeyId}`;
  const { issuer, clientId, subject, grantId } = caller;
  return JSON.stringify(['oauth', issuer, clientId, subject, grantId === null ? null : String(grantId)]);
}
