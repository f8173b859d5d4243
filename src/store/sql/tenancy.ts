// What of the store a caller may see. Every read has it among its conditions.

/** What a caller can see: one team's rows and, where host or grant narrow it, some workspaces'. Ids start at 1. */
export interface Tenancy {
  readonly teamId: bigint;
  /** null: every workspace of the team (spec §5 rule 2). */
  readonly workspaceIds: readonly bigint[] | null;
  /** What a statement in a store that Citus distributes is about (distribution.ts). */
  readonly isDistributed?: true;
}
