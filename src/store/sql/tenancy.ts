// What a caller may see. Every read includes it in its conditions.

/** A caller's rows: those of one team, restricted to some workspaces where the host or grant says so. Ids start at 1. */
export interface Tenancy {
  readonly teamId: bigint;
  /** null: every workspace of the team. */
  readonly workspaceIds: readonly bigint[] | null;
  /** Set where statements have to name these workspaces (shard-placement/); one that locks rows, a single one. */
  readonly namesWorkspaces?: true;
}
