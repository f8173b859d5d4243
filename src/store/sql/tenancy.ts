// The rows that a caller may see. Every read includes this in its conditions.

/** A caller's rows: those of one team, restricted to some workspaces if the host or grant does so. Ids start at 1. */
export interface Tenancy {
  readonly teamId: bigint;
  /** null: every workspace of the team. */
  readonly workspaceIds: readonly bigint[] | null;
  /** Set if statements must name these workspaces (shard-placement/); a statement that locks rows names a single one. */
  readonly namesWorkspaces?: true;
}
