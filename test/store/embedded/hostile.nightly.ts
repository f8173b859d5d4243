// Attacks by other users of the machine on the embedded database: by PostgreSQL's own user, who may write the complete cluster folder,
// and by anybody, who may write in folders such as /tmp. Each attack is a real one, on a real server.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, readdirSync } from 'node:fs';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { StartupError } from '../../../src/errors.ts';
import { readPostmaster } from '../../../src/store/embedded/postmaster.ts';
import { requireTrusted } from '../../../src/store/embedded/trust.ts';
import { createClusters, kill, query } from '../../support/cluster.ts';

const run = promisify(execFile);
const clusters = createClusters();
const prepared = createClusters();
const isRoot = process.getuid?.() === 0;
/** A user without any relation to the gateway. */
const STRANGER = 54_321;

const ready = await prepared.folder();
await (await prepared.open(ready)).release();
afterEach(() => clusters.clean());
afterAll(() => prepared.clean());

/** A folder that only its owner may enter, with one file in it. */
async function victimFolder(file: string): Promise<string> {
  const folder = await clusters.folder();
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, file), 'precious');
  return folder;
}

/** Changes lines of postmaster.pid, counted from 0, as PostgreSQL's user can. */
async function forge(cluster: string, lines: Record<number, string | number>): Promise<void> {
  const path = join(cluster, 'postmaster.pid');
  const text = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, Object.assign(text, lines).join('\n'));
}

async function pidOf(cluster: string): Promise<number> {
  return (await readPostmaster(cluster))?.pid ?? 0;
}

/** A data folder with an incomplete database, from a start that was killed long ago. */
async function abandonedDraft(): Promise<{ dataDir: string; draft: string }> {
  const dataDir = await clusters.folder(ready);
  const draft = join(dataDir, 'postgres.new-abcdef');
  await mkdir(draft);
  await rename(join(dataDir, 'postgres'), join(draft, 'cluster'));
  if (isRoot) await chown(draft, 0, (await lstat(join(draft, 'cluster'))).gid);
  await chmod(draft, 0o710);
  await utimes(draft, 0, 0);
  return { dataDir, draft };
}

test('a folder in postmaster.pid is not deleted at the stop', async () => {
  const victim = await victimFolder('file');
  const held = await clusters.open(await clusters.folder(ready));
  await forge(held.dataDir, { 4: victim });
  await held.release();
  expect(await readFile(join(victim, 'file'), 'utf8')).toBe('precious');
});

test('a lock file in a folder in postmaster.pid is not deleted at the start', async () => {
  const victim = await victimFolder('.s.PGSQL.5432.lock');
  const dataDir = await clusters.folder(ready);
  const { child, url } = await clusters.openInChild(dataDir);
  const cluster = join(dataDir, 'postgres');
  await query(url, 'select');
  await kill(child);
  process.kill(await pidOf(cluster), 'SIGKILL');
  await forge(cluster, { 0: process.pid, 4: victim });
  await query((await clusters.open(dataDir)).url, 'select');
  expect(await readFile(join(victim, '.s.PGSQL.5432.lock'), 'utf8')).toBe('precious');
});

test('nobody gets access to a socket in postmaster.pid', async () => {
  const victim = await victimFolder('file');
  const dataDir = await clusters.folder(ready);
  const held = await clusters.open(dataDir);
  await forge(held.dataDir, { 3: 9, 4: victim });
  expect((await clusters.open(dataDir)).url).toBe(held.url);
});

test.runIf(isRoot)('root signals only processes of the user that PostgreSQL runs as', async () => {
  const held = await clusters.open(await clusters.folder(ready));
  const pid = await pidOf(held.dataDir);
  const other = spawn(process.execPath, [
    '-e',
    'process.stdin.pipe(process.stdout)',
    '--',
    '-D',
    held.dataDir,
  ]);
  const ended = once(other, 'exit');
  try {
    await once(other, 'spawn');
    await forge(held.dataDir, { 0: other.pid ?? 0 });
    await held.release();
    other.stdin.write('alive');
    const [said] = await Promise.race([once(other.stdout, 'data'), ended]);
    expect(String(said)).toBe('alive');
  } finally {
    await kill(other);
    process.kill(pid, 'SIGQUIT');
  }
});

test('cluster files are read only if they are regular files: links are not followed, pipes not waited for', async () => {
  const victim = await victimFolder('secret');
  const dataDir = await clusters.folder(ready);
  const cluster = join(dataDir, 'postgres');
  await rename(join(cluster, 'PG_VERSION'), join(cluster, 'kept'));
  await symlink(join(victim, 'secret'), join(cluster, 'PG_VERSION'));
  await expect(clusters.open(dataDir)).rejects.not.toThrow('precious');
  await rm(join(cluster, 'PG_VERSION'));
  await run('mkfifo', [join(cluster, 'PG_VERSION')]);
  await expect(clusters.open(dataDir)).rejects.toThrow(StartupError);
  await run('mkfifo', [join(cluster, 'postmaster.pid')]);
  expect(await readPostmaster(cluster)).toBeNull();
});

test('a database that is a link to a folder elsewhere is refused', async () => {
  const dataDir = await clusters.folder();
  await mkdir(dataDir);
  await symlink(join(ready, 'postgres'), join(dataDir, 'postgres'));
  await expect(clusters.open(dataDir)).rejects.toThrow(StartupError);
});

test('while a new database is created, PostgreSQL\u2019s user cannot replace it', async () => {
  const dataDir = await clusters.folder();
  const drafts: { uid: number; mode: number }[] = [];
  let making = true;
  const watch = (async () => {
    while (making) {
      try {
        for (const name of readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-')))
          if (readdirSync(join(dataDir, name)).length > 0) drafts.push(lstatSync(join(dataDir, name)));
      } catch {}
      await new Promise((done) => setTimeout(done, 2));
    }
  })();
  await clusters.open(dataDir);
  making = false;
  await watch;
  expect(drafts.length).toBeGreaterThan(0);
  for (const { uid, mode } of drafts)
    expect({ uid, others: mode & 0o022 }).toEqual({ uid: process.getuid?.(), others: 0 });
});

test('the remains of a killed start are removed, and nothing that a link in them leads to', async () => {
  const victim = await victimFolder('file');
  const { dataDir, draft } = await abandonedDraft();
  await symlink(victim, join(draft, 'cluster', 'link'));
  await clusters.open(dataDir);
  expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log']);
  expect(await readFile(join(victim, 'file'), 'utf8')).toBe('precious');
});

test.runIf(isRoot)('root itself removes nothing in a folder of PostgreSQL’s user', async () => {
  const { dataDir, draft } = await abandonedDraft();
  const victim = join(draft, 'cluster', 'victim');
  await mkdir(victim, { mode: 0o700 });
  await writeFile(join(victim, 'file'), 'precious');
  await clusters.open(dataDir);
  expect(await readFile(join(victim, 'file'), 'utf8')).toBe('precious');
});

test.runIf(isRoot)(
  'a first start as root uses no database below a folder that everybody may write',
  async () => {
    const shared = await clusters.folder();
    await mkdir(shared);
    await chmod(shared, 0o1777);
    const dataDir = await clusters.folder();
    await chmod(dirname(dataDir), 0o700);
    const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
    const planted = join(shared, 'funnel-gateway');
    await run('cp', ['-a', ready, planted]);
    await mkdir(join(planted, name));
    await rename(join(planted, 'postgres'), join(planted, name, 'postgres'));
    await run('chown', ['-R', `${STRANGER}`, planted]);
    await chmod(planted, 0o755);
    await chmod(join(planted, name), 0o755);
    vi.stubEnv('TMPDIR', shared);
    const held = await clusters.open(dataDir);
    vi.unstubAllEnvs();
    expect(held.relocated).toBe(true);
    expect(held.dataDir).not.toContain(shared);
    expect((await lstat(held.dataDir)).uid).not.toBe(STRANGER);
    await held.release();
    await rm(dirname(held.dataDir), { recursive: true });
  },
);

test.runIf(isRoot)('a database that another user created is refused, and not touched', async () => {
  const dataDir = await clusters.folder(ready);
  await run('chown', ['-R', `${STRANGER}`, dataDir]);
  await expect(clusters.open(dataDir)).rejects.toThrow(
    /belongs to another user of this machine \(id 54321\)/,
  );
  expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log']);
});

test('a data folder that others may write is refused before a file is created in it', async () => {
  const dataDir = await clusters.folder();
  await mkdir(dataDir);
  await chmod(dataDir, 0o1777);
  await symlink(join(dirname(dataDir), 'target'), join(dataDir, 'postgres.log'));
  await expect(clusters.open(dataDir)).rejects.toThrow(/others may write .*chmod go-w/);
  expect(readdirSync(dirname(dataDir))).toEqual(['data']);
});

test.runIf(!isRoot)('a socket folder that others may enter is refused', async () => {
  const dataDir = await clusters.longFolder();
  const held = await clusters.open(dataDir);
  const folder = new URL(held.url).searchParams.get('host') ?? '';
  await held.release();
  await chmod(folder, 0o755);
  await expect(clusters.open(dataDir)).rejects.toThrow(/socket/);
});

test.runIf(isRoot)('root’s socket folder is where only root can create one', async () => {
  const held = await clusters.open(await clusters.longFolder());
  const above = dirname(new URL(held.url).searchParams.get('host') ?? '');
  const { uid, mode } = await lstat(above);
  expect({ uid, others: mode & 0o022 }).toEqual({ uid: 0, others: 0 });
  expect(() => requireTrusted(above)).not.toThrow();
});
