// Who asks: a closed union by `kind`, decided once a request.

/** What a caller can see: one team's rows and, where the host narrows it, one workspace's. Ids start at 1. */
export interface Reach {
  readonly teamId: bigint;
  /** null: every workspace of the team (spec §5 rule 2). */
  readonly workspaceId: bigint | null;
}

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
  readonly reach: Reach;
}

export type Actor = AnonymousActor | ApiKeyActor;
