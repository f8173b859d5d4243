// A primary with a streaming replica for a trial, of Debian's PostgreSQL, and a proxy before them that leads to the one that is told: as
// an address that moves, or a pooler, does.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { query } from '../../support/cluster.ts';
import { startProxy } from './proxy.ts';
import { createServers } from './servers.ts';

const run = promisify(execFile);
const STANDBY = 'standby';

export interface Replicated {
  /** Of the proxy. */
  readonly url: string;
  /** Of the replica itself. */
  readonly replicaUrl: string;
  /** Sends the replica nothing any more, until the primary is killed. */
  stopStreaming(): Promise<void>;
  /** Kills every process of the primary at once. */
  killPrimary(): Promise<void>;
  /** Makes the replica the primary, and leads the proxy there. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

interface Replication {
  /** Whether a commit waits for the replica. */
  readonly isSynchronous: boolean;
  /** How far the replica is behind, as PostgreSQL writes times. */
  readonly lag?: string;
}

/** @throws Error where Debian's PostgreSQL is not installed */
export async function startReplicated({ isSynchronous, lag = '0' }: Replication): Promise<Replicated> {
  const servers = await createServers();
  const primary = await servers.create('primary');
  const replica = await servers.replicate(STANDBY, primary.port, { recovery_min_apply_delay: lag });
  if (isSynchronous) {
    await query(primary.url, `alter system set synchronous_standby_names = '${STANDBY}'`);
    await query(primary.url, 'select pg_reload_conf()');
  }
  const proxy = await startProxy(primary.url);
  return {
    url: proxy.url,
    replicaUrl: replica.url,
    async stopStreaming() {
      const { stdout } = await run('pgrep', ['-P', String(await primary.pid()), '-f', 'walsender']);
      for (const pid of stdout.trim().split('\n')) process.kill(Number(pid), 'SIGSTOP');
    },
    killPrimary: primary.kill,
    async promote() {
      await replica.promote();
      proxy.lead(replica.url);
    },
    async remove() {
      await proxy.close();
      await servers.remove();
    },
  };
}
