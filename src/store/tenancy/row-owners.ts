// The owner check of reads: rejects rows that the caller does not own, even if the statement's conditions are wrong. Reads share pipelined
// connections, where a transaction for each caller would cost a round trip. Instead every row includes its owner, which is checked before
// the row is used.

import { SharedCache } from '../../concurrency/shared-cache.ts';
import type { Logger } from '../../output/log.ts';
import { BlockRow, endOf, type RowBlock, textOf } from '../../rows/row-block.ts';
import { toStoreError } from '../connections/failures.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { Tenancy } from '../sql/tenancy.ts';

/**
 * The contents of an owner column: the id of the row's team; of its team, for rows hidden from callers restricted to some workspaces; of
 * its workspace; or of a workspace whose team is in another column.
 */
export type OwnerKind = 'team' | 'whole team' | 'workspace' | 'narrowed workspace';

/** The owner columns of a block's rows. */
export interface RowOwner {
  readonly of: OwnerKind;
  /** The index of the column. */
  readonly field: number;
  /** The index of a column that is null only if there is no row, as in an outer join. */
  readonly row: number;
}

/** Rows that contain no tenant's data, and why. */
export interface OwnerlessTable {
  readonly unowned: string;
}

export type Owners = readonly RowOwner[] | OwnerlessTable;

export interface RowGuard {
  /** The number of refused reads since the process started. */
  readonly refused: number;
  /**
   * Checks that the caller owns the rows: synchronously, or after a look-up of workspaces that are not cached.
   * @param name of the statement
   * @throws ForeignRows if the caller does not own a row
   */
  requireOwn(rows: RowBlock, owners: Owners, tenancy: Tenancy, name: string): Promise<RowBlock> | RowBlock;
  /** The same for a single row, by its workspace. */
  requireWorkspace(workspaceId: bigint, tenancy: Tenancy, name: string): Promise<void>;
}

/** A statement read rows that the caller does not own. This is a bug, and nothing is returned. */
export class ForeignRows extends Error {
  constructor(name: string) {
    super(`The statement ${name} read rows that are not the caller's`);
  }
}

/** Cached workspaces with their teams. A workspace never changes its team. */
const MAX_WORKSPACES = 20_000;

/** The ids of all workspaces of the team `$1`, in their order. */
export const WORKSPACES_OF_TEAM = {
  name: 'workspaces.of_team',
  text: 'select t.id from workspaces t where t.team_id = $1::bigint order by t.id',
};

const TEAMS = {
  name: 'row_owners.teams',
  text: 'select t.id from workspaces t where t.team_id = $1::bigint and t.id = any($2::bigint[])',
};

/** @param lookups finds the team of a workspace */
export function createRowGuard(lookups: Pick<Readers, 'read'>, log: Logger): RowGuard {
  const teams = new SharedCache<bigint>({ max: MAX_WORKSPACES });
  let refused = 0;

  function refuse(name: string, { teamId }: Tenancy): never {
    refused += 1;
    log.error({ statement: name, team: String(teamId) }, "rows were read that are not the caller's: refused");
    throw new ForeignRows(name);
  }

  /** Whether the caller owns the id; undefined: its team must be looked up. */
  function isOwn(of: OwnerKind, id: string, { teamId, workspaceIds }: Tenancy): boolean | undefined {
    if (of === 'team') return id === String(teamId);
    if (of === 'whole team') return id === String(teamId) && workspaceIds === null;
    if (workspaceIds?.every((reached) => String(reached) !== id)) return false;
    return of === 'narrowed workspace' || teams.get(id, teamId) === teamId || undefined;
  }

  /** The workspaces that must be looked up. */
  function unknownOf(rows: RowBlock, owners: readonly RowOwner[], tenancy: Tenancy, name: string): string[] {
    const unknown: string[] = [];
    // Rows without an owner belong to nobody and are refused.
    if (owners.length === 0) refuse(name, tenancy);
    for (const { of, field, row } of owners) {
      for (const index of distinctRows(rows, field)) {
        const id = textOf(new BlockRow(rows, index), field);
        const own = id === null ? isNone(rows, index, row) : isOwn(of, id, tenancy);
        if (own === false) refuse(name, tenancy);
        if (own === undefined && id !== null) unknown.push(id);
      }
    }
    return unknown;
  }

  async function lookUp(unknown: readonly string[], tenancy: Tenancy, name: string): Promise<void> {
    const wanted = [...new Set(unknown)];
    const found = await lookups.read(TEAMS, [tenancy.teamId, wanted]).catch((error: unknown) => {
      throw toStoreError(error);
    });
    const own = new Set(found.map((block, index) => textOf(new BlockRow(block, index), 0)));
    if (wanted.some((id) => !own.has(id))) refuse(name, tenancy);
    for (const id of wanted)
      if (teams.get(id, tenancy.teamId) === undefined) teams.add(id, tenancy.teamId, tenancy.teamId);
  }

  return {
    get refused() {
      return refused;
    },
    requireOwn(rows, owners, tenancy, name) {
      if ('unowned' in owners) return rows;
      const unknown = unknownOf(rows, owners, tenancy, name);
      return unknown.length === 0 ? rows : lookUp(unknown, tenancy, name).then(() => rows);
    },
    async requireWorkspace(workspaceId, tenancy, name) {
      const id = String(workspaceId);
      const own = isOwn('workspace', id, tenancy);
      if (own === false) refuse(name, tenancy);
      if (own === undefined) await lookUp([id], tenancy, name);
    },
  };
}

/** The indexes of rows whose field is null or differs from that of the previous row. */
function* distinctRows({ bytes, starts, width, length }: RowBlock, field: number): Generator<number> {
  let last = -1;
  for (let index = 0, at = field; index < length; index++, at += width) {
    const start = starts[at] ?? -1;
    if (start >= 0 && last >= 0 && isSame(bytes, last, start)) continue;
    last = start;
    yield index;
  }
}

/** Whether two fields that are not null have the same bytes. */
function isSame(bytes: Buffer, one: number, other: number): boolean {
  const distance = other - one;
  const end = endOf(bytes, one);
  if (endOf(bytes, other) !== end + distance) return false;
  for (let at = one; at < end; at++) if (bytes[at] !== bytes[at + distance]) return false;
  return true;
}

/** Whether there is no row, and therefore no owner. */
function isNone({ starts, width }: RowBlock, index: number, row: number): boolean {
  return (starts[index * width + row] ?? -1) < 0;
}
