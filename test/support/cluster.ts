// Embedded databases of a test's own, in temporary folders.
import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { type EmbeddedDatabase, openEmbedded } from '../../src/store/embedded/embedded.ts';

/** Does not wait for the disk: these clusters must survive killed processes, but no power cut. */
const SETTINGS = { fsync: 'off', shared_buffers: '16MB' };
const EMBEDDED = fileURLToPath(new URL('../../src/store/embedded/embedded.ts', import.meta.url));

/** Temporary folders, and the servers in them. */
export interface Clusters {
  /** The path of a new data folder; with `copyOf`, a copy of that folder, whose server must be stopped. */
  folder(copyOf?: string): Promise<string>;
  /** The same, with a path that is too long for a socket. */
  longFolder(copyOf?: string): Promise<string>;
  open(dataDir: string, settings?: Record<string, string>): Promise<EmbeddedDatabase>;
  /** Opens the database in a new process, and does not wait for it. */
  startChild(dataDir: string): ChildProcessByStdio<null, Readable, null>;
  /** Opens the database in a new process, which then does nothing until it is killed. */
  openInChild(dataDir: string): Promise<{ child: ChildProcess; url: string }>;
  /** Ends everything and removes the folders. */
  clean(): Promise<void>;
}

/** Tracks everything that a test file opens, for `clean`. */
export function createClusters(): Clusters {
  const cleanups: (() => unknown)[] = [];
  return {
    async longFolder(copyOf) {
      const folder = await this.folder(copyOf);
      const long = join(dirname(folder), 'a, long'.padEnd(120, ' name'));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(folder, long);
      return long;
    },
    async folder(copyOf) {
      const parent = await mkdtemp(join(tmpdir(), 'fg-test-'));
      // Under root, PostgreSQL runs as another user, who needs access.
      await chmod(parent, 0o755);
      cleanups.push(() => rm(parent, { recursive: true, force: true }));
      if (copyOf) await promisify(execFile)('cp', ['-a', copyOf, join(parent, 'data')]);
      return join(parent, 'data');
    },
    async open(dataDir, settings) {
      const database = await openEmbedded({ dataDir, settings: { ...SETTINGS, ...settings } });
      cleanups.push(async () => {
        await database.release();
        const socketFolder = new URL(database.url).searchParams.get('host') ?? database.dataDir;
        if (socketFolder !== database.dataDir) await rm(socketFolder, { recursive: true, force: true });
      });
      return database;
    },
    startChild(dataDir) {
      const options = JSON.stringify({ dataDir, settings: SETTINGS });
      const script = `import { openEmbedded } from ${JSON.stringify(EMBEDDED)};
        const database = await openEmbedded(${options});
        console.log(database.url);`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      cleanups.push(() => kill(child));
      return child;
    },
    async openInChild(dataDir) {
      const child = this.startChild(dataDir);
      const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
      return { child, url: String(url).trim() };
    },
    async clean() {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    },
  };
}

/**
 * Lets the gateway's user prepare many rows, or impossible ones, without triggers and foreign keys, have deadlocks found at once, and
 * checkpoint. The gateway itself needs none of it.
 */
export async function letPrepare({ url, administratorUrl }: EmbeddedDatabase): Promise<void> {
  const { username } = new URL(url);
  await query(
    administratorUrl,
    `grant set on parameter session_replication_role, deadlock_timeout to ${username}; grant pg_checkpoint to ${username}`,
  );
}

/** Kills a child with SIGKILL, and waits for its end. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Executes a statement over a connection of its own, and returns its rows. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
