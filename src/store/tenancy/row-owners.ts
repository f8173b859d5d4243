// The second line of defence of reads: whatever a statement's conditions say, nobody is given a row that is not the caller's. Reads
// share pipelined connections, where a transaction of each caller's own would cost a round trip: so every row says whose it is,
// and is looked at before anything else does.

import { SharedCache } from '../../concurrency/shared-cache.ts';
import type { Logger } from '../../output/log.ts';
import { BlockRow, endOf, type RowBlock, textOf } from '../../rows/row-block.ts';
import { toStoreError } from '../connections/failures.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { Tenancy } from '../sql/tenancy.ts';

/**
 * What a row's column says of whose it is: the id of its team; of its team, where nothing is shown to whoever is narrowed to some of
 * its workspaces; of its workspace; of a workspace whose team another column says.
 */
export type Owning = 'team' | 'whole team' | 'workspace' | 'narrowed workspace';

/** Where the rows of a block say whose they are. */
export interface RowOwner {
  readonly of: Owning;
  /** The index of the column. */
  readonly field: number;
  /** The index of a column that is null only where there is no row, as of an outer join. */
  readonly row: number;
}

/** Rows that show nothing of anybody's, and why. */
export interface Unowned {
  readonly unowned: string;
}

export type Owners = readonly RowOwner[] | Unowned;

export interface RowGuard {
  /** How many reads were refused since the process started. */
  readonly refused: number;
  /**
   * Whether the rows are the caller's is known at once, or after a look-up of workspaces that were not seen before.
   * @param name of the statement
   * @throws ForeignRows where any row is not
   */
  requireOwn(rows: RowBlock, owners: Owners, tenancy: Tenancy, name: string): Promise<RowBlock> | RowBlock;
  /** The same of one row, given its workspace. */
  requireWorkspace(workspaceId: bigint, tenancy: Tenancy, name: string): Promise<void>;
}

/** A statement read rows that are not the caller's: a bug, and nothing is shown. */
export class ForeignRows extends Error {
  constructor(name: string) {
    super(`The statement ${name} read rows that are not the caller's`);
  }
}

/** Workspaces that are remembered with their teams, which they belong to for life. */
const MAX_WORKSPACES = 20_000;

const TEAMS = {
  name: 'row_owners.teams',
  text: 'select t.id from workspaces t where t.team_id = $1::bigint and t.id = any($2::bigint[])',
};

/** @param lookups where the team of a workspace is looked up */
export function createRowGuard(lookups: Pick<Readers, 'read'>, log: Logger): RowGuard {
  const teams = new SharedCache<bigint>({ max: MAX_WORKSPACES });
  let refused = 0;

  function refuse(name: string, { teamId }: Tenancy): never {
    refused += 1;
    log.error({ statement: name, team: String(teamId) }, "rows were read that are not the caller's: refused");
    throw new ForeignRows(name);
  }

  /** Whether it is the caller's; undefined: its team has to be looked up. */
  function isOwn(of: Owning, id: string, { teamId, workspaceIds }: Tenancy): boolean | undefined {
    if (of === 'team') return id === String(teamId);
    if (of === 'whole team') return id === String(teamId) && workspaceIds === null;
    if (workspaceIds?.every((reached) => String(reached) !== id)) return false;
    return of === 'narrowed workspace' || teams.get(id, teamId) === teamId || undefined;
  }

  /** The workspaces that have to be looked up. */
  function unknownOf(rows: RowBlock, owners: readonly RowOwner[], tenancy: Tenancy, name: string): string[] {
    const unknown: string[] = [];
    // Rows that say nothing of it are nobody's.
    if (owners.length === 0) refuse(name, tenancy);
    for (const { of, field, row } of owners) {
      for (const index of distinct(rows, field)) {
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

/** The indexes of the rows whose field has other bytes than that of the row before; and of all where it is null. */
function* distinct({ bytes, starts, width, length }: RowBlock, field: number): Generator<number> {
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

/** Whether there is no row, which has no owner. */
function isNone({ starts, width }: RowBlock, index: number, row: number): boolean {
  return (starts[index * width + row] ?? -1) < 0;
}
