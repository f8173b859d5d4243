// The guarantees of the embedded database, with real servers and real kills.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { StartupError } from '../../src/errors.ts';
import { earlierHomes } from '../../src/store/embedded/data-folder.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { findEmbedded } from '../../src/store/embedded/inspect.ts';
import { isServerOf, readPostmaster } from '../../src/store/embedded/postmaster.ts';
import { createClusters, kill, query } from '../support/cluster.ts';

const clusters = createClusters();
const prepared = createClusters();

const ready = await prepared.folder();
await (await prepared.open(ready)).release();
afterEach(() => clusters.clean());
afterAll(() => prepared.clean());

const isRoot = process.getuid?.() === 0;

async function serverPid(cluster: string): Promise<number | null> {
  const found = await readPostmaster(cluster);
  return found && (await isServerOf(cluster, found.pid)) ? found.pid : null;
}

async function eventually<T>(what: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i++) {
    try {
      return await what();
    } catch (error) {
      if (i > 200) throw error;
      await new Promise((done) => setTimeout(done, 25));
    }
  }
}

test('keeps the data from one start to the next, and runs nothing in between', async () => {
  const dataDir = await clusters.folder(ready);
  const first = await clusters.open(dataDir);
  await query(first.url, "create table note as select 'ÉTÉ 夏' as text");
  await first.release();
  await first.release();
  expect(await readPostmaster(first.dataDir)).toBeNull();
  await expect(query(first.url, 'select')).rejects.toThrow();

  const second = await clusters.open(dataDir);
  expect(second).toMatchObject({ url: first.url, dataDir: join(dataDir, 'postgres'), relocated: false });
  expect(await query(second.url, 'select text, lower(text) as lower from note')).toEqual([
    { text: 'ÉTÉ 夏', lower: 'été 夏' },
  ]);
});

test('is one server for every process that opens it, until the last one closes it', async () => {
  const dataDir = await clusters.folder(ready);
  const first = await clusters.open(dataDir);
  const second = await clusters.open(dataDir);
  const pid = await serverPid(first.dataDir);
  expect(second.url).toBe(first.url);
  await first.release();
  expect(await serverPid(first.dataDir)).toBe(pid);
  await query(second.url, 'select');
  await second.release();
  expect(await serverPid(first.dataDir)).toBeNull();
});

test('is created once when several processes open an empty folder at the same time', async () => {
  const dataDir = await clusters.folder();
  const [one, two, child] = await Promise.all([
    clusters.open(dataDir),
    clusters.open(dataDir),
    clusters.openInChild(dataDir),
  ]);
  expect(new Set([one.url, two.url, child.url]).size).toBe(1);
  expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log']);
  await kill(child.child);
});

test.each([
  ['', () => clusters.folder(ready)],
  [', also where the socket lies elsewhere', () => clusters.longFolder(ready)],
])('can be opened at the very moment when the last one lets go%s', async (_where, folder) => {
  const dataDir = await folder();
  let held = await clusters.open(dataDir);
  for (let i = 0; i < 5; i++) {
    const [, next] = await Promise.all([held.release(), clusters.open(dataDir)]);
    await query(next.url, 'select');
    held = next;
  }
  await held.release();
  expect(await serverPid(held.dataDir)).toBeNull();
});

test('continues when the process that started it is killed, and the next process to close stops it', async () => {
  const dataDir = await clusters.folder(ready);
  const { child, url } = await clusters.openInChild(dataDir);
  const pid = await serverPid(join(dataDir, 'postgres'));
  await query(url, 'create table note as select 1 as id');
  await kill(child);
  const next = await clusters.open(dataDir);
  expect(await serverPid(next.dataDir)).toBe(pid);
  expect(await query(next.url, 'select id from note')).toEqual([{ id: 1 }]);
  await next.release();
  expect(await serverPid(next.dataDir)).toBeNull();
});

test('restarts by itself, at the same address with all commits, when PostgreSQL is killed', async () => {
  const held = await clusters.open(await clusters.folder(ready));
  await query(held.url, 'create table note as select 1 as id');
  const pid = await serverPid(held.dataDir);
  process.kill(pid ?? 0, 'SIGKILL');
  expect(await eventually(() => query(held.url, 'select id from note'))).toEqual([{ id: 1 }]);
  expect(await serverPid(held.dataDir)).not.toBe(pid);
  await held.release();
  expect(await serverPid(held.dataDir)).toBeNull();
});

test('a lost lease is acquired again, so that another process does not stop the server', async () => {
  const dataDir = await clusters.folder(ready);
  const held = await clusters.open(dataDir);
  const leases = "from pg_stat_activity where application_name = 'funnel-gateway lease'";
  await query(held.url, `select pg_terminate_backend(pid) ${leases}`);
  await eventually(async () => expect(await query(held.url, `select 1 ${leases}`)).toHaveLength(1));
  const other = await clusters.open(dataDir);
  await other.release();
  await query(held.url, 'select');
});

test('starts after everything was killed and an unrelated process got the old pid', async () => {
  const dataDir = await clusters.folder(ready);
  const { child, url } = await clusters.openInChild(dataDir);
  const cluster = join(dataDir, 'postgres');
  await query(url, 'create table note as select 1 as id');
  await kill(child);
  process.kill((await serverPid(cluster)) ?? 0, 'SIGKILL');
  const { uid, gid } = await stat(cluster);
  const unrelated = spawn('sleep', ['60'], { ...(isRoot && { uid, gid }), cwd: '/', stdio: 'ignore' });
  try {
    await once(unrelated, 'spawn');
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      const path = join(cluster, name);
      await writeFile(path, (await readFile(path, 'utf8')).replace(/^\d+/, String(unrelated.pid)));
    }
    const next = await clusters.open(dataDir);
    expect(await query(next.url, 'select id from note')).toEqual([{ id: 1 }]);
    await next.release();
    expect(unrelated.exitCode).toBeNull();
  } finally {
    await kill(unrelated);
  }
});

test('a path that is too long for a socket works: the socket is in one short folder, always the same, for its user alone', async () => {
  const dataDir = await clusters.longFolder(ready);
  const held = await clusters.open(dataDir);
  const socketFolder = new URL(held.url).searchParams.get('host') ?? '';
  expect(socketFolder).not.toContain(held.dataDir);
  expect((await lstat(socketFolder)).mode & 0o777).toBe(0o700);
  expect((await clusters.open(dataDir)).url).toBe(held.url);
  process.kill((await serverPid(held.dataDir)) ?? 0, 'SIGKILL');
  await eventually(() => query(held.url, 'select'));
  await held.release();
  await clusters.open(dataDir);
  expect(await query(held.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('listens on no network port, and on a socket that only its own user can reach', async () => {
  const held = await clusters.open(await clusters.folder(ready));
  expect(await query(held.url, 'show listen_addresses')).toEqual([{ listen_addresses: '' }]);
  expect((await lstat(held.dataDir)).mode & 0o777).toBe(0o700);
});

test('waits for the disk before a commit is acknowledged, unless configured otherwise', async () => {
  const held = await openEmbedded({ dataDir: await clusters.folder(ready) });
  try {
    const settings =
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as wait";
    expect(await query(held.url, settings)).toEqual([{ fsync: 'on', wait: 'on' }]);
  } finally {
    await held.release();
  }
});

test('a folder that only root may enter is replaced by another one, always the same', async () => {
  const dataDir = await clusters.folder();
  await mkdir(dirname(dataDir), { recursive: true });
  await chmod(dirname(dataDir), 0o700);
  const first = await clusters.open(dataDir);
  expect(first.relocated).toBe(isRoot);
  await query(first.url, 'create table note as select 1 as id');
  await first.release();
  const second = await clusters.open(dataDir);
  expect(second.dataDir).toBe(first.dataDir);
  expect(await query(second.url, 'select id from note')).toEqual([{ id: 1 }]);
  await second.release();
  // Removing the data folder starts a new database, and the old one is not lost.
  await rm(dataDir, { recursive: true });
  const third = await clusters.open(dataDir);
  expect(third.relocated).toBe(isRoot);
  expect(await query(third.url, "select to_regclass('note') as note")).toEqual([{ note: null }]);
  expect(await earlierHomes(dataDir, third.dataDir)).toEqual(isRoot ? [dirname(first.dataDir)] : []);
  expect((await findEmbedded(dataDir))?.cluster).toBe(third.dataDir);
  await third.release();
  if (!isRoot) return;
  // A store from before the ids is found only by its path.
  const home = third.dataDir.replace(/-[0-9a-f]{16}\/postgres$/, '');
  await rename(dirname(first.dataDir), home);
  await rm(join(dataDir, 'postgres-elsewhere'));
  const before = await clusters.open(dataDir);
  expect(await query(before.url, 'select id from note')).toEqual([{ id: 1 }]);
  await before.release();
  for (const folder of [home, dirname(third.dataDir)]) await rm(folder, { recursive: true });
});

test('an empty folder with rights for its owner alone is used unchanged', async () => {
  const dataDir = await clusters.folder();
  await mkdir(dataDir, { mode: 0o700 });
  expect(await clusters.open(dataDir)).toMatchObject({
    relocated: false,
    dataDir: join(dataDir, 'postgres'),
  });
});

test('a folder that cannot be created is refused', async () => {
  const file = await clusters.folder();
  await writeFile(file, '');
  const opened = openEmbedded({ dataDir: join(file, 'data') });
  await expect(opened).rejects.toThrow(StartupError);
  await expect(opened).rejects.toThrow(/^The data folder .* cannot be created or written .*DATABASE_URL/);
  // Node's own recursive mkdir never returns for this path.
  await expect(openEmbedded({ dataDir: '/proc/funnel/gateway' })).rejects.toThrow(StartupError);
});

test('a database of another PostgreSQL version is refused and left alone', async () => {
  const dataDir = await clusters.folder(ready);
  const held = await clusters.open(dataDir);
  await held.release();
  await writeFile(join(held.dataDir, 'PG_VERSION'), '17\n');
  await expect(clusters.open(dataDir)).rejects.toThrow(
    /was made by PostgreSQL 17, and this is PostgreSQL 18/,
  );
});

test('a folder with other content is refused and left alone', async () => {
  const dataDir = await clusters.folder();
  await mkdir(join(dataDir, 'postgres'), { recursive: true });
  await chmod(dataDir, 0o755);
  await writeFile(join(dataDir, 'postgres', 'mine'), 'mine');
  const opened = clusters.open(dataDir);
  await expect(opened).rejects.toThrow(StartupError);
  await expect(opened).rejects.toThrow(/move away what is there/);
  expect(await readFile(join(dataDir, 'postgres', 'mine'), 'utf8')).toBe('mine');
});

test('a server that does not start is reported with its log and its last message', async () => {
  const opened = clusters.open(await clusters.folder(ready), { shared_buffers: 'plenty' });
  await expect(opened).rejects.toThrow(StartupError);
  await expect(opened).rejects.toThrow(
    /did not start; see .*postgres\.log, which ends with: .*shared_buffers.*plenty/,
  );
});
