// One streaming replica: its own pipelined connections for reads, and a connection that asks for its replay position at short intervals.
// The replica is read only while it is certainly a standby of the primary's cluster, on the primary's timeline, and not lagging too much.
// If any of this is unknown, it is not read. Reads that fail because it was lost go to the primary (reading.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import type { Liveness } from '../connections/liveness.ts';
import { protocolConnectionOf } from '../connections/rows-query.ts';
import type { Readers } from '../pipelining/readers.ts';
import { createRunningServer, type RunningServer } from '../pipelining/running-server.ts';
import type { Mark, Marks } from './marks.ts';
import { parseLog, SYSTEM } from './positions.ts';

/** Whether it is read, or why not. */
export type ReplicaState =
  | 'used'
  | 'lagging'
  | 'unreachable'
  | 'no_replica'
  | 'other_database'
  | 'other_timeline'
  | 'unknown';

/** Its connections, by kind of read. */
interface ReplicaConnections {
  readonly readers: Readers;
  readonly scans: Readers;
}

/** Tells its readers that it is unreachable. */
export type Availability = Pick<Liveness, 'refusal' | 'asked' | 'suspect'>;

export interface Replica extends ReplicaConnections {
  /** Host, port and database. A pooler may lead to several servers. */
  readonly name: string;
  readonly state: ReplicaState;
  /** Milliseconds; null if unknown. */
  readonly lagMs: number | null;
  /** The newest mark that it has replayed; null while it must not be read. */
  mark(): Mark | null;
  start(): void;
  close(): Promise<void>;
}

interface ReplicaOptions {
  readonly connection: pg.ClientConfig;
  readonly marks: Marks;
  readonly maxLagMs: number;
  /** Opens its connections for reads. */
  readonly open: (availability: Availability, server: RunningServer) => ReplicaConnections;
  readonly log: Logger;
}

const INTERVAL_MS = 100;
const RETRY_MS = 250;
/** How much older than the mark itself its `before` position may be. */
export const GRACE_MS = 500;
/** After this many milliseconds without an answer it counts as lost. */
const SILENCE_MS = 1_000;

/** The newest timeline that the replica reports. Not every database user may see which timeline is being received. */
const STATE = `select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn()::text as log, current_database()::text as database,
  ${SYSTEM} as system,
  greatest((select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery()),
    (select received_tli from pg_stat_wal_receiver)) as timeline`;

interface StateRow {
  readonly standby: boolean;
  readonly log: string | null;
  readonly database: string;
  readonly system: string;
  readonly timeline: number;
}

/** Its last answer about itself. */
type KnownState = StateRow & { readonly replayed: bigint };

export function createReplica({ connection, marks, maxLagMs, open, log }: ReplicaOptions): Replica {
  const { host, port, database } = new pg.Client(connection);
  const name = `${host}:${port}/${database}`;
  let known: KnownState | null = null;
  /** Incremented whenever earlier answers become invalid. */
  let generation = 0;
  let refusal: Error | null = null;
  let client: pg.Client | null = null;
  let isStarted = false;
  let loggedState: ReplicaState = 'unknown';

  /** Discards the last answer: after a restart it may have replayed less than before. */
  function forget(): void {
    generation += 1;
    known = null;
  }

  function lose(error: Error): void {
    forget();
    if (client !== null) protocolConnectionOf(client).stream.destroy();
    client = null;
    if (refusal !== null) return;
    refusal = Object.assign(new Error(`Connection terminated: ${toReason(error)}`), { code: 'ECONNRESET' });
    for (const kind of [kinds.readers, kinds.scans]) kind.abandon(refusal);
  }

  const kinds = open(
    {
      get refusal() {
        return refusal;
      },
      asked() {},
      suspect() {},
    },
    createRunningServer(forget),
  );

  async function readState(): Promise<void> {
    if (client === null) {
      const opened = new pg.Client({
        ...connection,
        query_timeout: SILENCE_MS,
        connectionTimeoutMillis: SILENCE_MS,
      });
      opened.on('error', (error) => {
        if (client === opened) lose(error);
      });
      client = opened;
      await opened.connect();
    }
    const before = generation;
    const { rows } = await client.query<StateRow>(STATE);
    const [row] = rows;
    if (row === undefined) throw new Error('The replica says nothing of itself.');
    refusal = null;
    if (generation === before) known = { ...row, replayed: parseLog(row.log ?? '') ?? -1n };
  }

  function replayedMark(): Mark | null {
    return known === null ? null : marks.newest(known.replayed);
  }

  function stateNow(): ReplicaState {
    if (refusal !== null) return 'unreachable';
    const latest = marks.latest();
    if (known === null || latest === null) return 'unknown';
    if (!known.standby) return 'no_replica';
    const { position, database } = latest;
    if (known.system !== position.system || known.database !== database) return 'other_database';
    if (known.timeline !== position.timeline) return 'other_timeline';
    const mark = replayedMark();
    if (mark === null) return 'lagging';
    const now = performance.now();
    return now - mark.at > maxLagMs || now - mark.beforeAt > maxLagMs + GRACE_MS ? 'lagging' : 'used';
  }

  /** Logs one line whenever it stops being read, and when it is read again. */
  function logStateChange(): void {
    const state = stateNow();
    if (state === 'unknown' || (state === 'used') === (loggedState === 'used')) return;
    if (state === 'used') log.info({ replica: name }, 'replica is read');
    else log.warn({ replica: name, state }, 'replica is left out: the primary answers for it');
    loggedState = state;
  }

  async function watch(): Promise<void> {
    while (isStarted) {
      const isThere = await readState().then(
        () => true,
        (error: Error) => {
          if (isStarted) lose(error);
          return false;
        },
      );
      logStateChange();
      await sleep(isThere ? INTERVAL_MS : RETRY_MS, undefined, { ref: false });
    }
  }

  return {
    ...kinds,
    name,
    get state() {
      return stateNow();
    },
    get lagMs() {
      const mark = replayedMark();
      return mark === null ? null : performance.now() - mark.at;
    },
    mark: () => (stateNow() === 'used' ? replayedMark() : null),
    start() {
      if (isStarted) return;
      isStarted = true;
      void watch();
    },
    async close() {
      isStarted = false;
      if (client !== null) protocolConnectionOf(client).stream.destroy();
      await Promise.all([kinds.readers.close(), kinds.scans.close()]);
    },
  };
}
