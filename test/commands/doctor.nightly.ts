// `doctor`: a line for each requirement of the gateway, whatever else is wrong; it changes nothing, and prints no secret.
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createKeyring } from '../../src/auth/keyring.ts';
import { createSigningKeyCache } from '../../src/auth/signing-key-cache.ts';
import { checkAddresses } from '../../src/commands/doctor/addresses.ts';
import { checkFacts } from '../../src/commands/doctor/database.ts';
import { type Finding, runCheck } from '../../src/commands/doctor/findings.ts';
import { limitsOf } from '../../src/commands/doctor/limits.ts';
import { sharedRatesFindings } from '../../src/commands/doctor/shared-rates.ts';
import { parseConfig } from '../../src/config/config.ts';
import { listen } from '../../src/http/listener.ts';
import { rotate } from '../../src/services/operator/signing-keys.ts';
import { createClusters, query } from '../support/cluster.ts';
import * as factories from '../support/factories.ts';
import { createNetwork } from '../support/network.ts';
import { type Env, gatewayForCommands, runHere, temporaryFolder } from './cli.ts';

const KEY = 'the key of this file which is of no use to anybody';

const { gateway, env } = await gatewayForCommands();

const folder = await temporaryFolder();
const whole = { ...env, SECRET_KEY: KEY, DATA_DIR: folder.path };
const keyring = createKeyring(() => [KEY]);
const signingKeyCache = createSigningKeyCache(keyring, gateway.app.log);
await rotate({ ...gateway.app, keyring, signingKeyCache }, { now: true });
afterAll(() => folder.remove());

interface Report {
  readonly code: number | null;
  readonly status: string;
  readonly checks: readonly Finding[];
  readonly printed: string;
}

/** @param seconds the limit of each check: how fast this machine is just now is not what is tested */
async function doctor(with_: Env, seconds = 600): Promise<Report> {
  const { code, stdout, stderr } = await runHere(['doctor', '--json', '--timeout', `${seconds}`], with_);
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout), printed: stdout };
}

/** The worst finding about one subject. */
const of = ({ checks }: Report, name: string) =>
  checks.filter((check) => check.name === name && check.status !== 'ok')[0] ??
  checks.find((check) => check.name === name);

test('next to a running gateway prints ok for every check and exits with 0', async () => {
  const { config } = parseConfig({ ...whole, PORT: '0' }, '/');
  const listener = await listen({ ...gateway.app, config });
  const here = { ...whole, PORT: String(listener.port) };
  const report = await doctor(here);
  // The PostgreSQL of the tests has no data to lose.
  const [unsafe, ...others] = report.checks.filter(({ status }) => status !== 'ok');
  expect(unsafe).toMatchObject({ status: 'warn', message: expect.stringContaining('fsync') });
  expect(others).toEqual([]);
  expect(report).toMatchObject({ code: 0, status: 'warn' });
  expect(of(report, 'listening')?.message).toContain('a gateway answers');
  expect(of(report, 'signing keys')?.message).toContain('0 days old');
  const { code, stdout } = await runHere(['doctor', '--timeout', '600'], here);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(report.checks.length);
  for (const line of lines) expect(line).toMatch(/^(ok {4}|warn {2})\S/);
  await listener.close();
});

test('reports every configuration error without hiding other checks, and shows no secret', async () => {
  const report = await doctor({
    ...whole,
    PORT: 'http',
    DATABASE_URL: 'mysql://root:s3cret@db/x',
    SECRET_KEY: 'sh0rt',
  });
  expect(report.code).toBe(1);
  const failures = report.checks.filter(({ status }) => status === 'fail').map(({ message }) => message);
  expect(failures).toHaveLength(3);
  for (const name of ['PORT', 'DATABASE_URL', 'SECRET_KEY']) expect(failures.join()).toContain(name);
  for (const name of ['listening', 'addresses', 'database', 'secret key'])
    expect(of(report, name)).toMatchObject({ status: 'warn', message: 'not checked' });
  expect(of(report, 'disk')?.status).toBe('ok');
  expect(report.printed).not.toMatch(/s3cret|sh0rt/);
});

test('fails for an unreachable database without showing its password, and runs the other checks', async () => {
  const report = await doctor({ ...whole, DATABASE_URL: 'postgresql://a:s3cret@127.0.0.1:9/x' });
  expect(report.code).toBe(1);
  expect(of(report, 'database')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('127.0.0.1:9/x'),
  });
  expect(of(report, 'disk')?.status).toBe('ok');
  expect(report.printed).not.toContain('s3cret');
  expect(report.printed).not.toContain(KEY);
});

test('fails for a silent server after a time that --timeout sets, and for a check that hangs', async () => {
  const silent = await createNetwork(env['DATABASE_URL'] ?? '');
  silent.silence();
  const report = await doctor({ ...whole, DATABASE_URL: silent.url }, 1);
  expect(report.code).toBe(1);
  expect(of(report, 'database')).toMatchObject({ status: 'fail' });
  await silent.close();
  const hanging = await runCheck('anything', limitsOf(1), () => new Promise(() => {}));
  expect(hanging).toMatchObject([
    { status: 'fail', message: 'no answer within 1 s', advice: expect.stringContaining('--timeout') },
  ]);
});

test('creates no embedded database if there is none', async () => {
  const dataDir = join(folder.path, 'nowhere');
  const report = await doctor({ DATA_DIR: dataDir });
  expect(report.code).toBe(0);
  expect(of(report, 'database')?.message).toContain('none yet');
  expect(await readdir(folder.path)).not.toContain('nowhere');
});

test('does not start a stopped embedded database, and examines a running one', async () => {
  const clusters = createClusters();
  const dataDir = await clusters.folder();
  const database = await clusters.open(dataDir, { fsync: 'on' });
  const running = await doctor({ DATA_DIR: dataDir });
  expect(of(running, 'database')?.message).toContain(database.dataDir);
  expect(of(running, 'migrations')).toMatchObject({
    status: 'warn',
    advice: expect.stringContaining('serve'),
  });
  expect(running.code).toBe(0);
  await query(database.url, 'create table theirs ()');
  expect(of(await doctor({ DATA_DIR: dataDir }), 'migrations')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('"theirs"'),
    advice: expect.stringContaining('an empty database'),
  });
  await database.release();
  expect(of(await doctor({ DATA_DIR: dataDir }), 'database')?.message).toContain('it is stopped');
  expect(await readdir(join(dataDir, 'postgres'))).not.toContain('postmaster.pid');
  await clusters.clean();
});

test('detects a connection pooler, which does not pass on notifications', async () => {
  const [pooler, deaf] = await Promise.all(
    ['K', 'A'].map((losing) => createNetwork(env['DATABASE_URL'] ?? '', { losing })),
  );
  const report = await doctor({ ...whole, DATABASE_URL: pooler?.url ?? '' });
  expect(of(report, 'connections')?.message).toContain('a pooler is between');
  // It waits for a notification that never comes.
  const unheard = await doctor({ ...whole, DATABASE_LISTEN_URL: deaf?.url ?? '' }, 60);
  expect(of(unheard, 'notifications')).toMatchObject({
    status: 'warn',
    advice: expect.stringContaining('DATABASE_LISTEN_URL'),
  });
  expect(unheard.code).toBe(0);
  await Promise.all([pooler?.close(), deaf?.close()]);
});

test('fails for a secret key that did not seal the signing keys', async () => {
  const report = await doctor({ ...whole, SECRET_KEY: `another ${KEY}` });
  expect(of(report, 'signing keys')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('no secret key here opens'),
  });
});

test('a hanging database check does not hide the others', async () => {
  const client = await gateway.app.store.pool.connect();
  await client.query('begin; lock table signing_keys in access exclusive mode');
  const report = await doctor({ ...whole, STATEMENT_TIMEOUT_MS: '600000' }, 10);
  await client.query('rollback');
  client.release();
  expect(of(report, 'signing keys')).toMatchObject({ status: 'fail', message: 'no answer within 10 s' });
  expect(of(report, 'migrations')?.status).toBe('ok');
});

test('warns of a stored secret key that others may read, without showing it', async () => {
  const dataDir = join(folder.path, 'kept');
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(join(dataDir, 'secret-key'), KEY);
  await chmod(join(dataDir, 'secret-key'), 0o644);
  const report = await doctor({ ...env, DATA_DIR: dataDir });
  expect(of(report, 'secret key')).toMatchObject({
    status: 'warn',
    advice: expect.stringContaining('chmod 600'),
  });
  expect(of(report, 'signing keys')?.status).toBe('ok');
  expect(report.printed).not.toContain(KEY);
});

test('fails for a port in use, and for an address of another machine', async () => {
  const other = createServer((socket) => socket.end('nothing of ours')).listen(0, '127.0.0.1');
  await new Promise((done) => other.once('listening', done));
  const address = other.address();
  const PORT = String(typeof address === 'object' && address ? address.port : 0);
  expect(of(await doctor({ ...whole, PORT }), 'listening')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('used by another program'),
  });
  const metrics = await doctor({ ...whole, PORT: '4999', METRICS_PORT: PORT });
  expect(of(metrics, 'listening')).toMatchObject({
    status: 'fail',
    advice: expect.stringContaining('METRICS_PORT'),
  });
  const away = await doctor({ ...whole, PORT: '4999', HOST: '192.0.2.1' });
  expect(of(away, 'listening')?.message).toContain('no address of this machine');
  other.close();
});

test('fails for pages that contradict their steps, until the printed statement has run', async () => {
  const { pool } = gateway.app.store;
  const { id: workspaceId } = await factories.workspace(gateway.app);
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  await factories.workflow(gateway.app, funnel, ['Shown']);
  await factories.page(gateway.app, workspaceId, 'Not shown');
  await pool.query('update pages set is_shown = not is_shown');
  const wrong = of(await doctor(whole), 'pages');
  expect(wrong).toMatchObject({ status: 'fail', message: expect.stringMatching(/^2 pages say/) });
  await pool.query(/"(.*)"/.exec(wrong?.advice ?? '')?.[1] ?? '');
  expect(of(await doctor(whole), 'pages')?.status).toBe('ok');
});

test('fails for a data folder that others may change', async () => {
  const open = join(folder.path, 'open');
  await mkdir(open);
  await chmod(open, 0o777);
  expect(of(await doctor({ ...whole, DATA_DIR: open }), 'disk')?.status).toBe('fail');
});

const FACTS = {
  ...{ version: 180004, versionText: '18.4', encoding: 'UTF8', isReadOnly: false, unsafe: [] },
  ...{ maxConnections: 97, connections: 3, isPooled: false, isEncrypted: true },
  ...{ clockAheadMs: 3, clockErrorMs: 2 },
};

test.each([
  [{}, 'ok', 'PostgreSQL 18.4'],
  [{ version: 130010, versionText: '13.10' }, 'fail', 'too old'],
  [{ version: 140010, versionText: '14.10' }, 'warn', 'untried'],
  [{ encoding: 'SQL_ASCII' }, 'fail', 'SQL_ASCII'],
  [{ isReadOnly: true }, 'fail', 'replica'],
  [{ unsafe: ['fsync'] }, 'warn', 'fsync off'],
  [{ isEncrypted: false }, 'warn', 'not encrypted'],
  [{ maxConnections: 20 }, 'warn', 'the server allows 20'],
  [{ clockAheadMs: -5_000 }, 'warn', '5.0 seconds behind'],
  [{ clockAheadMs: 5_000, clockErrorMs: 4_000 }, 'ok', 'clocks'],
  [{ clockAheadMs: 90_000 }, 'fail', 'ahead of'],
])('of a server with %j it is said: %s, %s', (changed, status, words) => {
  const place = { url: 'postgresql://db.example/x', where: 'db.example' };
  const findings = checkFacts({ ...FACTS, ...changed }, place, { poolSize: 10, jobs: true });
  const found = findings.find(({ message }) => message.includes(words));
  expect(found?.status).toBe(status);
  const others = findings.filter((finding) => finding !== found).map((finding) => finding.status);
  expect(new Set(others)).toEqual(new Set(['ok']));
});

test.each([
  [{}, 'ok', 'SERVICE_HOST localhost'],
  [{ HOST: '0.0.0.0' }, 'warn', 'they get 421'],
  [{ SERVICE_HOST: 'gw.example', AUTH_URL: 'http://gw.example' }, 'warn', 'unencrypted'],
  [{ PORT: '4001', AUTH_URL: 'http://localhost:4000' }, 'warn', 'port 4000'],
  [{ SERVICE_HOST: 'gw.example' }, 'warn', 'TRUST_PROXY names none'],
  [{ SERVICE_HOST: 'gw.example', TRUST_PROXY: '127.0.0.1' }, 'ok', 'https://gw.example'],
  [{ SERVICE_HOST: 'gw.example', TRUST_PROXY: '0.0.0.0/0' }, 'warn', 'every address'],
])('of addresses %j it is said: %s, %s', (variables, status, words) => {
  const findings = checkAddresses(parseConfig(variables, '/').config);
  expect(findings).toEqual([expect.objectContaining({ status, message: expect.stringContaining(words) })]);
});

test('warns of an unreachable Redis without showing its password, and is silent if none is configured', async () => {
  const report = await doctor({ ...whole, REDIS_URL: 'redis://gateway:the-password@127.0.0.1:1' });
  expect(of(report, 'rate limits')).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(report.printed).not.toContain('the-password');
  expect(of(await doctor(whole), 'rate limits')).toBeUndefined();
});

test('reports unsuitable settings of Redis', () => {
  const good = {
    version: '7.0.15',
    isReplica: false,
    isCluster: false,
    maxMemoryBytes: 100_000_000,
    evictionPolicy: 'volatile-lru',
  };
  const told = (facts: Partial<typeof good>) =>
    sharedRatesFindings({ ...good, ...facts }).map(({ status, message }) => `${status} ${message}`);
  expect(told({})).toEqual(['ok counted in Redis 7.0.15 for all processes']);
  expect(told({ isReplica: true })).toEqual([expect.stringMatching(/^warn .* a replica/)]);
  expect(told({ isCluster: true })).toEqual([expect.stringMatching(/^warn .* a cluster/)]);
  expect(told({ version: '5.0.7' })).toEqual([expect.stringMatching(/^warn .*older than 6/)]);
  expect(told({ maxMemoryBytes: 0, evictionPolicy: 'noeviction' })).toEqual([
    expect.stringMatching(/^warn .*no limit/),
  ]);
  expect(told({ evictionPolicy: 'noeviction' })).toEqual([expect.stringMatching(/^warn .*noeviction/)]);
  expect(told({ evictionPolicy: 'volatile-ttl' })).toEqual([expect.stringMatching(/^warn .*volatile-ttl/)]);
});
