// The replicas of the store. Requests take turns among them. This folder writes nothing to the database but the positions of writes.
import type pg from 'pg';
import type { Logger } from '../../output/log.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { RunningServer } from '../pipelining/running-server.ts';
import { createMarks, type Mark, type Marks } from './marks.ts';
import type { Position } from './positions.ts';
import { createRedisPositions } from './redis-positions.ts';
import { type Availability, createReplica, type Replica, type ReplicaState } from './replica.ts';
import { createWritePositions, type WritePositions } from './write-positions.ts';

/** The replica chosen for one request, and the primary's newest mark that it has replayed. */
export interface Chosen {
  readonly readers: Readers;
  readonly scans: Readers;
  readonly mark: Mark;
  /** Records that one of its reads was sent again to the primary. */
  lost(): void;
}

/** The metrics of one replica. */
interface ReplicaReading {
  readonly name: string;
  readonly state: ReplicaState;
  readonly lagMs: number | null;
  /** The number of requests that it was chosen for, and of reads that were sent again to the primary. */
  readonly requests: number;
  readonly resent: number;
}

export interface Replicas {
  /** Whether any replica is being read at the moment. */
  isAny(): boolean;
  /** The next replica that has replayed a position, with its mark; null where there is none. */
  pick(needed: Position | null): Chosen | null;
  readonly marks: Marks;
  /** The positions of the credentials' last writes. */
  readonly writes: WritePositions;
  readings(): readonly ReplicaReading[];
  /** Before this is called, no replica is read. */
  start(): void;
  close(): Promise<void>;
}

interface ReplicasOptions {
  readonly urls: readonly string[];
  /** The primary's configuration. The replicas use the same with another address. */
  readonly connection: pg.ClientConfig;
  readonly maxLagMs: number;
  /** The connections to the primary. */
  readonly lookups: Pick<Readers, 'read'>;
  /** Opens the connections for reads of a replica. */
  readonly open: (
    connection: pg.ClientConfig,
    availability: Availability,
    server: RunningServer,
  ) => Pick<Replica, 'readers' | 'scans'>;
  /** Where positions are shared; undefined: in the database. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
}

/** Opens no connection until `start`. */
export function createReplicas(options: ReplicasOptions): Replicas {
  const { urls, maxLagMs, lookups, open, redisUrl, log } = options;
  const marks = createMarks(lookups, maxLagMs);
  const shared = redisUrl === undefined ? null : createRedisPositions(redisUrl, log);
  const writes = createWritePositions({ lookups, shared, maxLagMs, onInterruption: marks.forget, log });
  const members = urls.map((connectionString) => {
    const connection = { ...options.connection, connectionString };
    const replica = createReplica({
      ...{ connection, marks, maxLagMs, log },
      open: (availability, server) => open(connection, availability, server),
    });
    return { replica, requests: 0, resent: 0 };
  });
  let turn = 0;

  return {
    marks,
    writes,
    isAny: () => members.some(({ replica }) => replica.state === 'used'),
    pick(needed) {
      for (let tries = 0; tries < members.length; tries++) {
        turn = (turn + 1) % members.length;
        const member = members[turn];
        const mark = member?.replica.mark();
        if (member === undefined || mark == null || !hasSeen(mark, needed)) continue;
        member.requests += 1;
        const { readers, scans } = member.replica;
        return { readers, scans, mark, lost: () => void member.resent++ };
      }
      return null;
    },
    readings: () =>
      members.map(({ replica: { name, state, lagMs }, requests, resent }) => {
        return { name, state, lagMs, requests, resent };
      }),
    start() {
      marks.start();
      for (const { replica } of members) replica.start();
    },
    async close() {
      marks.close();
      writes.close();
      await Promise.all(members.map(({ replica }) => replica.close()));
    },
  };
}

/** Whether a mark includes everything that was committed at a position. Unknown, so false, for another cluster or a later timeline. */
function hasSeen({ position, before }: Mark, needed: Position | null): boolean {
  if (needed === null) return true;
  return needed.system === position.system && needed.timeline <= position.timeline && needed.log <= before;
}
