// The log position of each credential's last write, for clients that do not send it themselves. It is stored for all processes, in Redis or
// in the table `write_positions`, before the write is answered. So a later read finds it. However many reads wait, one query is under way
// at a time, and none is made for callers that cannot write.
//
// Stored positions may be lost: the table is unlogged. So it contains a marker, the epoch. If the epoch has changed, replicas are read only
// after they have reached the primary's position at that time. The same holds after the connection to Redis was lost: a crashed Redis may
// come back with an earlier state that includes the old epoch.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { together } from '../../concurrency/together.ts';
import type { Logger } from '../../output/log.ts';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { toReason } from '../connections/failures.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { Statement } from '../sql/statements.ts';
import { later, POSITION, type Position, parseToken } from './positions.ts';

/** A key-value store for tokens. */
export interface SharedPositions {
  /** The tokens of these names; null where there is none. @throws Error where that cannot be determined */
  find(names: readonly string[]): Promise<readonly (string | null)[]>;
  /** Stores one token for these names, unless a later one is there. @throws Error where it may not have been stored */
  keep(names: readonly string[], token: string): Promise<void>;
  /** Stores a text unless there is one already. It then neither changes nor expires. */
  keepFirst(name: string, text: string): Promise<void>;
  /** How many times the connection was lost. Anything stored before may be lost too. */
  readonly losses: number;
  close(): void;
}

export interface WritePositions {
  /** The position of a credential's last write; null: it has not written, or so long ago that all replicas in use have it. */
  find(credential: string): Promise<Position | null | 'unknown'>;
  /**
   * Must be called before a change is answered: from then on, reads of the credential see the change. Where the position cannot be shared,
   * it waits as long as a replica may lag.
   * @returns the token for the client; null where there is none
   */
  keep(credential: string): Promise<string | null>;
  close(): void;
}

interface Options {
  /** The connections to the primary. */
  readonly lookups: Pick<Readers, 'read'>;
  /** null: the table is used. */
  readonly shared: SharedPositions | null;
  readonly maxLagMs: number;
  /** Called when stored positions may have been lost. */
  readonly onInterruption: () => void;
  readonly log: Logger;
}

const EPOCH = 'epoch';
/** Longer than a replayed mark can be younger than the position before it (marks.ts). */
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
