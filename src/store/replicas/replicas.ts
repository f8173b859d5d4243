// The replicas of the store. Requests alternate between them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import type { ConnectionConfig } from '../connections/sql-constants.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { RunningServer } from '../pipelining/running-server.ts';
import { createMarks, type Mark, type Marks } from './marks.ts';
import type { Position } from './positions.ts';
import { createRecentWrites, createRedisWrites } from './recent-writes.ts';
import { type Availability, createReplica, GRACE_MS, type Replica } from './replica.ts';

/** The replica chosen for one request, and the primary's newest mark that it has replayed. */
export interface ChosenReplica {
  readonly readers: Readers;
  readonly scans: Readers;
  readonly mark: Mark;
  /** Records that one of its reads was sent again to the primary. */
  reportRetry(): void;
}

/** The metrics of one replica. */
interface ReplicaReading extends Pick<Replica, 'name' | 'state' | 'lagMs'> {
  /** The number of requests that it was chosen for, and of reads that were sent again to the primary. */
  readonly requests: number;
  readonly resent: number;
}

export interface Replicas {
  /** Whether any replica is being read at the moment. */
  hasReadable(): boolean;
  /** The next replica that has replayed a position, with its mark; null if there is none. */
  pick(needed: Position | null): ChosenReplica | null;
  readonly marks: Marks;
  /**
   * Must be called before a change is answered: from then on, reads of the credential see the change. If other processes cannot learn of
   * it, waits as long as a replica may lag.
   * @returns the token for the client; null if there is none
   */
  noteWrite(credential: string): Promise<string | null>;
  /** Whether reads of a credential that sends no token have to go to the primary, because it has just changed something or may have. */
  hasWritten(credential: string): Promise<boolean>;
  readings(): readonly ReplicaReading[];
  /** Before this is called, no replica is read. */
  start(): void;
  close(): Promise<void>;
}

interface ReplicasOptions {
  readonly urls: readonly string[];
  /** The primary's configuration. The replicas use the same with another address. */
  readonly connection: ConnectionConfig;
  readonly maxLagMs: number;
  /** The connections to the primary. */
  readonly lookups: Pick<Readers, 'read'>;
  /** Opens the connections for reads of a replica. */
  readonly open: (
    connection: ConnectionConfig,
    availability: Availability,
    server: RunningServer,
  ) => Pick<Replica, 'readers' | 'scans'>;
  /** The Redis in which all processes remember who has written; undefined: each process remembers it alone. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
}

/** Opens no connection until `start`. */
export function createReplicas(options: ReplicasOptions): Replicas {
  const { urls, maxLagMs, lookups, open, redisUrl, log } = options;
  const marks = createMarks(lookups, maxLagMs);
  const lifeMs = writeLifetimeMs(maxLagMs);
  const redis = redisUrl === undefined ? null : createRedisWrites(redisUrl, lifeMs, marks.forget, log);
  const writes = redis ?? createRecentWrites(lifeMs);
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
    async noteWrite(credential) {
      try {
        await writes.note(credential);
      } catch (error) {
        log.warn(
          { reason: toReason(error as Error) },
          'a write is not shared: its answer waits for replicas',
        );
        await sleep(lifeMs);
      }
      return marks.position().catch(() => null);
    },
    hasWritten: (credential) => writes.has(credential).catch(() => true),
    hasReadable: () => members.some(({ replica }) => replica.state === 'used'),
    pick(needed) {
      for (let tries = 0; tries < members.length; tries++) {
        turn = (turn + 1) % members.length;
        const member = members[turn];
        const mark = member?.replica.mark();
        if (member === undefined || mark == null || !includesPosition(mark, needed)) continue;
        member.requests += 1;
        const { readers, scans } = member.replica;
        return { readers, scans, mark, reportRetry: () => void member.resent++ };
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
      redis?.close();
      await Promise.all(members.map(({ replica }) => replica.close()));
    },
  };
}

/** The number of milliseconds after which every replica that is read has a change. */
function writeLifetimeMs(maxLagMs: number): number {
  return maxLagMs + GRACE_MS;
}

/** Whether a mark includes everything that was committed at a position. For another cluster or a later timeline that is unknown, so false. */
function includesPosition({ position, before }: Mark, needed: Position | null): boolean {
  if (needed === null) return true;
  return needed.system === position.system && needed.timeline <= position.timeline && needed.log <= before;
}
