// Where the log was when each credential wrote last, for clients that do not send it: kept for all processes, in Redis or in the table
// `write_positions`, before the answer to the write is sent. A read asks there, so that it cannot come too early; however many reads
// wait, one question is under way, and nobody is asked for a caller who cannot write.
//
// What is kept there may be lost: the table is not logged. So there is a mark in it, the epoch; where that is not the one that was
// there before, replicas are read only when they have come to where the primary was afterwards. So they are when the connection to Redis was
// lost: one that has crashed may be back with an earlier state, the epoch in it.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../output/log.ts';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { toReason } from '../connections/failures.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { Statement } from '../sql/statements.ts';
import { later, POSITION, type Position, parseToken } from './positions.ts';
import { together } from './together.ts';

/** Where tokens are kept by names. */
export interface SharedPositions {
  /** The tokens of names; null where there is none. @throws Error where that cannot be known */
  find(names: readonly string[]): Promise<readonly (string | null)[]>;
  /** Keeps one token for names, unless there is a later one. @throws Error where they may not be kept */
  keep(names: readonly string[], token: string): Promise<void>;
  /** Keeps a text unless there is one; it is not changed any more, nor forgotten by its age. */
  keepFirst(name: string, text: string): Promise<void>;
  /** How often it was lost: what was kept by then may not be there any more. */
  readonly losses: number;
  close(): void;
}

export interface WritePositions {
  /** Where a credential wrote last; null: it has not, or so long ago that all that are read have seen it. */
  find(credential: string): Promise<Position | null | 'unknown'>;
  /**
   * To be called before a change is answered: from then on reads of the credential see it. Where that cannot be said to others,
   * it takes as long as a replica may be behind.
   * @returns the token for the client; null where there is none
   */
  keep(credential: string): Promise<string | null>;
  close(): void;
}

interface Options {
  /** Over which the primary is asked. */
  readonly lookups: Pick<Readers, 'read'>;
  /** null: the table. */
  readonly shared: SharedPositions | null;
  readonly maxLagMs: number;
  /** Called when what was kept may have been lost. */
  readonly onInterruption: () => void;
  readonly log: Logger;
}

const EPOCH = 'epoch';
/** Longer than marks that have been replayed can be younger than the position before them (marks.ts). */
const GRACE_MS = 500;

const WHERE: Statement = {
  name: 'write_positions.where',
  text: `select ${POSITION} where $1::int is not null`,
};

const KEEP: Statement = {
  name: 'write_positions.keep',
  text: `with here as materialized (select ${POSITION} as token),
    kept as (insert into write_positions as w (credential, token, written_at)
      select c, here.token, statement_timestamp() from unnest($1::text[]) c cross join here order by c
      on conflict (credential) do update set token = ${later('w.token', 'excluded.token')}, written_at = excluded.written_at)
    select token from here`,
};

const FIND: Statement = {
  name: 'write_positions.find',
  text: `select (select w.token from write_positions w where w.credential = n.credential)
    from unnest($1::text[]) with ordinality n (credential, place) order by place`,
};

const KEEP_FIRST: Statement = {
  name: 'write_positions.keep_first',
  text: `with kept as (insert into write_positions (credential, token, written_at)
      values ($1, $2, 'infinity') on conflict do nothing returning 1) select count(*) from kept`,
};

export function createWritePositions({
  lookups,
  shared,
  maxLagMs,
  onInterruption,
  log,
}: Options): WritePositions {
  let epoch: string | null = null;
  let losses = 0;

  async function column(statement: Statement, values: unknown[]): Promise<(string | null)[]> {
    const rows = await lookups.read(statement, values);
    return rows.map((block, index) => textOf(new BlockRow(block, index), 0));
  }

  const table: Pick<SharedPositions, 'find' | 'keepFirst'> = {
    find: (names) => column(FIND, [names]),
    keepFirst: async (name, text) => void (await column(KEEP_FIRST, [name, text])),
  };
  const place = shared ?? table;

  const find = together<string, Position | null | 'unknown'>(async (credentials) => {
    const [found, ...tokens] = await place.find([EPOCH, ...credentials]);
    if (found == null) await place.keepFirst(EPOCH, randomUUID());
    const lost = shared?.losses ?? 0;
    if (found == null || found !== epoch || lost !== losses) {
      epoch = found ?? null;
      losses = lost;
      onInterruption();
      return credentials.map(() => 'unknown');
    }
    return tokens.map((token) => (token === null ? null : (parseToken(token) ?? 'unknown')));
  });

  const keep = together<string, string>(async (credentials) => {
    const names = [...new Set(credentials)];
    const [token] = shared === null ? await column(KEEP, [names]) : await column(WHERE, [1]);
    if (token == null) throw new TypeError('The primary does not say where its log is');
    await shared?.keep(names, token);
    return credentials.map(() => token);
  });

  return {
    find: (credential) => find(credential).catch(() => 'unknown'),
    async keep(credential) {
      try {
        return await keep(credential);
      } catch (error) {
        log.warn(
          { reason: toReason(error as Error) },
          'position of a write not kept: its answer waits for replicas',
        );
        await sleep(maxLagMs + GRACE_MS);
        return null;
      }
    },
    close: () => shared?.close(),
  };
}
