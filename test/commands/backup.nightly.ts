// `backup` and `restore` of the embedded database: nothing is lost, and a failed restore changes nothing.
import { chmod, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar, unpackTar } from 'modern-tar';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { loadOrCreateSecretKey } from '../../src/commands/secret-key.ts';
import { create as createClient } from '../../src/services/operator/oauth-clients.ts';
import { readArchive, writeArchive } from '../../src/store/backup/archive.ts';
import { PRISMA_FOLDER, readMigrations } from '../../src/store/migrations/folder.ts';
import { takeMigrationLock } from '../../src/store/migrations/lock.ts';
import { applyMigrations } from '../../src/store/migrations/migrations.ts';
import { createClusters, query } from '../support/cluster.ts';
import * as factories from '../support/factories.ts';
import { type Env, runHere, runJsonHere, start, temporaryFolder } from './cli.ts';
import { openGateway } from './embedded-gateway.ts';

const clusters = createClusters();
let good: string;

const gatewayOn = (dataDir: string) => openGateway(clusters, dataDir);
const restore = (file: string, env: Env, ...args: string[]) => runHere(['restore', file, ...args], env);

/** Every row of every table, and the values of the sequences. */
async function contentOf(dataDir: string): Promise<Record<string, unknown>> {
  const database = await clusters.open(dataDir);
  const names = await query(
    database.url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`,
  );
  const content: Record<string, unknown> = {};
  for (const { name } of names) {
    const rows = await query(database.url, `select * from "${name}" order by 1`);
    // The values that a sequence reserves for a crash do not count.
    content[String(name)] = rows.map(({ log_cnt, ...row }) => row);
  }
  await database.release();
  return content;
}

const folder = await temporaryFolder();
/** A store with a team of its own, to be copied. */
const [original, mine] = [await clusters.folder(), await clusters.folder()];
await runJsonHere(['seed'], { DATA_DIR: original });
await runJsonHere(['team', 'create', '--name', 'Mine'], { DATA_DIR: mine });
afterAll(async () => {
  await clusters.clean();
  await folder.remove();
});

test('a backup of a running gateway restores rows, ids, keys and tokens elsewhere, and nothing that came later', async () => {
  const gateway = await gatewayOn(original);
  const demoKey = (await readFile(join(original, 'demo-key'), 'utf8')).trim();
  const { client, clientSecret } = await createClient(gateway.app, {
    name: 'Export',
    grants: ['client_credentials'],
    scopes: ['contacts:read'],
    team: 1n,
  });
  const basic = Buffer.from(`${client.id}:${clientSecret}`).toString('base64');
  const requestToken = (at: typeof gateway) =>
    at.send('/oauth/token', {
      method: 'POST',
      headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
  const { access_token: token } = (await (await requestToken(gateway)).json()) as { access_token: string };
  await query(
    gateway.app.store.connection.connectionString ?? '',
    String.raw`update tags set name = E'tab\t newline\n back\\slash "quote" \\N é 夏 ' || chr(1) where id = 1`,
  );
  // A team from before the rules about names and subdomains.
  await query(
    gateway.app.store.connection.connectionString ?? '',
    `alter table teams drop constraint teams_name_length; alter table teams disable trigger subdomain_is_allowed;
    update teams set name = repeat('x', 101), subdomain = 'www' where id = 2;
    alter table teams add constraint teams_name_length check (length(name) <= 100) not valid;
    alter table teams enable trigger subdomain_is_allowed`,
  );
  const contacts = '/api/v2/workspaces/1/contacts?per_page=100&sort_order=desc';
  const page = await (await gateway.send(contacts, { token: demoKey })).json();
  good = join(folder.path, 'good.tar.gz');
  const made = await runJsonHere<{ rows: number; file: string }>(['backup', good], { DATA_DIR: original });
  expect(made).toMatchObject({ file: good, secret_key: 'included', rows: expect.any(Number) });
  expect((await stat(good)).mode & 0o777).toBe(0o600);
  const later = await factories.contact(gateway.app, { workspaceId: 1n });
  await gateway.close();

  const dataDir = await clusters.folder();
  expect(await runJsonHere(['restore', good], { DATA_DIR: dataDir })).toMatchObject({
    rows: made.rows,
    signing_keys: 1,
  });
  for (const name of ['secret-key', 'demo-key', 'demo-password']) {
    expect(await readFile(join(dataDir, name), 'utf8')).toBe(await readFile(join(original, name), 'utf8'));
    expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
  }
  expect((await readdir(dataDir)).filter((name) => name.includes('restoring'))).toEqual([]);
  const restored = await gatewayOn(dataDir);
  expect(await (await restored.send(contacts, { token: demoKey })).json()).toEqual(page);
  expect((await restored.send(contacts, { token })).status).toBe(200);
  expect((await requestToken(restored)).status).toBe(200);
  expect((await restored.send(`/api/v2/contacts/${later.publicId}`, { token: demoKey })).status).toBe(404);
  // The next row has the id that it would have had, and a walk reaches it.
  const next = await factories.contact(restored.app, { workspaceId: 1n });
  expect(next.id).toBe(later.id);
  const last = await restored.send('/api/v2/workspaces/1/contacts?per_page=1&sort_order=desc', { token });
  expect(await last.json()).toMatchObject([{ id: Number(next.id), public_id: next.publicId }]);
  const restoredUrl = restored.app.store.connection.connectionString ?? '';
  expect(
    await query(restoredUrl, 'select length(name) as length, subdomain from teams where id = 2'),
  ).toEqual([{ length: 101, subdomain: 'www' }]);
  for (const [change, rule] of [
    ["name = repeat('x', 101)", 'teams_name_length'],
    ["subdomain = 'api'", 'subdomain_is_allowed'],
  ])
    await expect(query(restoredUrl, `update teams set ${change} where id = 1`)).rejects.toMatchObject({
      constraint: rule,
    });
  const databases = await query(restoredUrl, "select datname from pg_database where datname like 'funnel%'");
  expect(databases).toEqual([{ datname: 'funnel_gateway' }]);
  await restored.close();
});

test('restore refuses a store with data or in use; --replace replaces it and keeps its own key', async () => {
  const dataDir = await clusters.folder(mine);
  const env = { DATA_DIR: dataDir };
  const key = loadOrCreateSecretKey(dataDir);
  const before = await contentOf(dataDir);
  const refused = await restore(good, env);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
  const gateway = await gatewayOn(dataDir);
  const inUse = await restore(good, env, '--replace');
  expect(inUse).toMatchObject({ code: 1, stderr: expect.stringContaining('stop it first') });
  await gateway.close();
  expect(await contentOf(dataDir)).toEqual(before);
  // The remains of a killed restore disturb nobody.
  const database = await clusters.open(dataDir);
  await query(database.administratorUrl, 'create database funnel_gateway_restoring');
  await database.release();
  const done = await restore(good, env, '--replace');
  expect(done.code).toBe(0);
  expect(await runJsonHere<unknown[]>(['team', 'list'], env)).toHaveLength(2);
  const kept = (await readdir(dataDir)).filter((name) => name.startsWith('secret-key.before-'));
  expect(kept).toHaveLength(1);
  expect((await readFile(join(dataDir, kept[0] ?? ''), 'utf8')).trim()).toBe(key);
  expect(done.stdout).toContain(kept[0]);
});

/** The entries of the good backup, for a test to change, and the file that is made of them. */
async function rewritten(
  name: string,
  change: (entries: Awaited<ReturnType<typeof unpackTar>>) => Awaited<ReturnType<typeof unpackTar>>,
): Promise<string> {
  const entries = change(await unpackTar(gunzipSync(await readFile(good))));
  const path = join(folder.path, `${name}.tar.gz`);
  await writeFile(path, gzipSync(await packTar(entries)), { mode: 0o600 });
  return path;
}

const file = (name: string, text: string, type: 'file' | 'symlink' = 'file') => ({
  header: {
    name,
    size: type === 'file' ? text.length : 0,
    type,
    ...(type === 'symlink' && { linkname: text }),
  },
  ...(type === 'file' && { data: new TextEncoder().encode(text) }),
});

test.each([
  ['nothing', async () => writeTo('empty', Buffer.alloc(0))],
  ['no archive', async () => writeTo('text', Buffer.from('no backup'))],
  ['a folder', async () => folder.path],
  ['a file that is not there', async () => join(folder.path, 'missing')],
  ['one cut short', async () => writeTo('cut', (await readFile(good)).subarray(0, -2_000))],
  ['one without its end', () => rewritten('open', (entries) => entries.slice(0, -1))],
  [
    'one that lacks a table',
    () => rewritten('lacks', (all) => all.filter(({ header }) => !header.name.includes('/tags/'))),
  ],
  [
    'a changed row',
    () =>
      rewritten('changed', (all) =>
        all.map((entry) =>
          entry.header.name.includes('/teams/')
            ? {
                ...entry,
                data: new TextEncoder().encode(new TextDecoder().decode(entry.data).replace('Acme', 'Evil')),
              }
            : entry,
        ),
      ),
  ],
  [
    'a path that leads out',
    () =>
      rewritten('out', ([first, ...rest]) =>
        [first, file('../../evil', 'x'), ...rest].filter((entry) => entry !== undefined),
      ),
  ],
  [
    'a link in place of a file',
    () =>
      rewritten('link', (all) =>
        all.map((entry) =>
          entry.header.name === 'files/secret-key'
            ? file(entry.header.name, '/etc/passwd', 'symlink')
            : entry,
        ),
      ),
  ],
  ['a stranger at the end', () => rewritten('stranger', (all) => [...all, file('more', 'x')])],
  [
    'a format of the future',
    () =>
      rewritten('future', (all) =>
        all.map((entry, i) => (i === 0 ? file('manifest.json', '{"format":2}') : entry)),
      ),
  ],
  [
    'a manifest with a name of its own',
    () =>
      rewritten('name', ([first, ...rest]) => [
        file('manifest.json', new TextDecoder().decode(first?.data).replace('"teams"', '"teams; drop"')),
        ...rest,
      ]),
  ],
  [
    'a manifest with a file of its own',
    () =>
      rewritten('file', ([first, ...rest]) => [
        file('manifest.json', new TextDecoder().decode(first?.data).replace('"demo-key"', '"../demo-key"')),
        ...rest,
      ]),
  ],
])('%s is refused before anything is made or changed', async (_what, make) => {
  const dataDir = join(folder.path, 'untouched');
  const { code, stdout, stderr } = await restore(await make(), { DATA_DIR: dataDir });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/\n\s+at |Unexpected/);
  expect(await readdir(folder.path)).not.toContain('untouched');
});

/** Others may read it, without a warning: a file other than a backup contains no secrets. */
async function writeTo(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, bytes, { mode: 0o644 });
  return path;
}

/** A backup that is whole, with another manifest or other rows. */
async function forged(
  name: string,
  change: {
    migrations?: { name: string; checksum: string }[];
    tables?: { name: string; columns: string[]; rows: number }[];
    rows?: (table: string, rows: string) => string;
  },
): Promise<string> {
  const source = await open(good);
  const archive = await readArchive(source);
  const rowsOf = new Map<string, string>(
    change.tables?.map(({ name }) => [name, change.rows?.(name, '') ?? '']),
  );
  for (const table of archive.manifest.tables) {
    let rows = '';
    for await (const chunk of archive.copy(table.name)) rows += chunk;
    rowsOf.set(table.name, change.rows?.(table.name, rows) ?? rows);
  }
  await source.close();
  const path = join(folder.path, `${name}.tar.gz`);
  const { migrations = archive.manifest.migrations, tables = [] } = change;
  const manifest = { ...archive.manifest, migrations, tables: [...archive.manifest.tables, ...tables] };
  async function* copy(table: string) {
    yield Buffer.from(rowsOf.get(table) ?? '');
  }
  const out = await open(path, 'wx', 0o600);
  await writeArchive(out, { manifest, files: archive.files, copy }, new AbortController().signal);
  return path;
}

test('a backup of an older version is migrated; one of a newer version is refused', async () => {
  const [init, ...later] = await readMigrations(PRISMA_FOLDER);
  expect(later.length).toBeGreaterThan(0);
  const source = await open(good);
  const { manifest, close } = await readArchive(source);
  await close();
  await source.close();
  const before = await clusters.folder();
  const database = await clusters.open(before);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  // Its connections may still be closing when the database is stopped.
  pool.on('error', () => {});
  await applyMigrations(pool, undefined, { only: (name) => name === init?.name });
  await pool.query("insert into teams (name) values ('Old')");
  await pool.end();
  await database.release();
  const old = join(folder.path, 'old.tar.gz');
  await runJsonHere(['backup', old], { DATA_DIR: before });
  const dataDir = await clusters.folder();
  expect((await restore(old, { DATA_DIR: dataDir })).code).toBe(0);
  const status = await runJsonHere(['migrate', 'status'], { DATA_DIR: dataDir });
  expect(status).toMatchObject({ pending: [], applied: [init?.name, ...later.map(({ name }) => name)] });
  expect(await runJsonHere(['team', 'list'], { DATA_DIR: dataDir })).toMatchObject([{ name: 'Old' }]);
  const next = { name: '29990101000000_future', checksum: 'x' };
  const newer = await forged('newer', { migrations: [...manifest.migrations, next] });
  expect(await restore(newer, { DATA_DIR: dataDir }, '--replace')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('29990101000000_future is not known here'),
  });
});

test('a failed restore leaves the store unchanged', async () => {
  const dataDir = await clusters.folder(mine);
  const env = { DATA_DIR: dataDir };
  const before = [await contentOf(dataDir), await readdir(dataDir)];
  const bad = await forged('bad', {
    rows: (table, rows) => (table === 'workspaces' ? rows.replace('acme', 'AC ME') : rows),
  });
  const { code, stderr } = await restore(bad, env, '--replace');
  expect(code).toBe(1);
  expect(stderr).toContain('workspaces_subdomain_check');
  expect([await contentOf(dataDir), await readdir(dataDir)]).toEqual(before);
  const database = await clusters.open(dataDir);
  const others = "select datname from pg_database where datname like 'funnel\\_gateway\\_%'";
  expect(await query(database.url, others)).toEqual([]);
  await database.release();
});

test("a backup with rows for PostgreSQL's own tables is refused: its functions run programs", async () => {
  const dataDir = await clusters.folder();
  const columns = ['roleid', 'member', 'grantor', 'oid', 'admin_option', 'inherit_option', 'set_option'];
  const bad = await forged('catalog', {
    tables: [{ name: 'pg_auth_members', columns, rows: 1 }],
    rows: (table, rows) => (table === 'pg_auth_members' ? '4569\t3373\t10\t99999\tt\tt\tt\n' : rows),
  });
  const { code, stderr } = await restore(bad, { DATA_DIR: dataDir });
  expect(code).toBe(1);
  expect(stderr).toContain('pg_auth_members');
  const database = await clusters.open(dataDir);
  expect(await query(database.url, 'select from pg_auth_members where oid = 99999')).toEqual([]);
  await database.release();
});

test('backup refuses a file that exists, and writes none if there is nothing to back up', async () => {
  const target = join(folder.path, 'target');
  await mkdir(target);
  const env = { DATA_DIR: original };
  const made = await runJsonHere<{ file: string }>(['backup', target, '--no-secret-key'], env);
  expect(made).toMatchObject({ secret_key: 'not included' });
  expect(await readdir(target)).toEqual([made.file.slice(target.length + 1)]);
  for (const [args, with_, message] of [
    [[made.file], env, 'exists already'],
    [[join(target, 'no', 'such')], env, 'cannot be written'],
    [[join(target, 'x')], { DATA_DIR: join(folder.path, 'nowhere') }, 'no embedded database'],
    [[join(target, 'x')], { DATABASE_URL: 'postgresql://a:s3cret@127.0.0.1/x' }, 'pg_dump'],
  ] as const) {
    const { code, stdout, stderr } = await runHere(['backup', ...args], with_);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('s3cret');
  }
  expect(await readdir(target)).toHaveLength(1);
  expect(await readdir(folder.path)).not.toContain('nowhere');
  await chmod(made.file, 0o644);
  const dataDir = await clusters.folder();
  const { stderr } = await restore(made.file, { DATA_DIR: dataDir });
  expect(stderr).toContain(`chmod 600 ${made.file}`);
  expect(stderr).toContain('No secret key here opens the signing keys');
});

test('Ctrl-C while a backup waits for a migration writes nothing', async () => {
  const database = await clusters.open(original);
  const migrating = new pg.Client({ connectionString: database.url });
  await migrating.connect();
  await takeMigrationLock(migrating);
  const file = join(folder.path, 'interrupted.tar.gz');
  const running = start(['backup', file], { DATA_DIR: original });
  const waits = `select from pg_stat_activity where application_name = 'funnel-gateway backup' and query like '%try_advisory%'`;
  while ((await migrating.query(waits)).rowCount === 0);
  running.child.kill('SIGINT');
  expect(await running.result).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'Interrupted: no backup was written.\n',
  });
  await migrating.end();
  expect(await query(database.url, waits)).toEqual([]);
  await database.release();
  expect(await readdir(folder.path)).not.toContainEqual(expect.stringContaining('interrupted'));
});
