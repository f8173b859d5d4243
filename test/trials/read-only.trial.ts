// The database becomes read-only under load, and writable again: reads go on, writes are answered 503 and change nothing, /readyz and
// `doctor` tell, and service resumes by itself. `npm run trial -- read-only [requests a second]`, 20 by default. Then a hot standby as
// DATABASE_URL, which needs Debian's `postgresql`.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { ROOT } from './child-processes.ts';
import { type Serving, serve } from './faults/gateway.ts';
import { type Entry, isWrong, outcomeOf } from './faults/ledger.ts';
import { startLoad } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { startReplicated } from './faults/replicated.ts';
import { createCallers } from './faults/tenants.ts';
import { reportLedger } from './faults/verdict.ts';
import { SECRET_KEY } from './secret-key.ts';
import { report } from './test-bed.ts';

const run = promisify(execFile);
const PER_SECOND = Number(process.argv[3] ?? 20);
const QUIET = { LOG_LEVEL: 'fatal', JOBS: 'off' };

await becomeReadOnly();
await standBy();

async function becomeReadOnly(): Promise<void> {
  const postgres = await startPostgres();
  const pool = new pg.Pool({ connectionString: postgres.administratorUrl, max: 1 });
  let gateway: Serving | null = null;
  try {
    const callers = await createCallers(postgres.url, 2);
    gateway = await serve({ DATABASE_URL: postgres.url, ...QUIET });
    const { origin } = gateway;
    const name = `read-only-${process.pid}`;
    const load = startLoad({ origin: () => origin, callers, perSecond: PER_SECOND, run: name });
    await sleep(3_000);
    await set(pool, 'on');
    const closedAt = performance.now();
    await sleep(5_000);
    await reportTold(origin, postgres.url);
    const openingAt = performance.now();
    await set(pool, 'off');
    const openedAt = performance.now();
    await sleep(5_000);
    const { database } = await readiness(origin);
    report(`/readyz tells of nothing any more: ${database ?? ''}`, database === undefined);
    await load.stop();

    const { entries } = load;
    // A connection hears of the setting between two statements.
    const during = entries.filter(({ sentAt, ms }) => sentAt > closedAt + 500 && sentAt + ms < openingAt);
    const [writes, reads] = [during.filter(isWrite), during.filter((entry) => !isWrite(entry))];
    const refused = writes.filter(
      ({ status, text }) => status === 503 && /read-only.*Nothing was changed/.test(text),
    );
    const answered = reads.filter(({ status }) => status === 200);
    report(
      `${refused.length} of ${writes.length} writes answered 503 that says why, ${answered.length} of ${reads.length} reads answered`,
      refused.length === writes.length && answered.length === reads.length && writes.length > 0,
    );
    const last = Math.max(...entries.filter(({ status }) => status === 503).map(({ sentAt }) => sentAt));
    const again = entries.some(
      (entry) => isWrite(entry) && entry.sentAt > last && outcomeOf(entry) === 'made',
    );
    report(
      `the last 503 was sent ${Math.round(last - openedAt)} ms after it was writable again`,
      again && last - openedAt < 2_000,
    );
    const wrong = entries.filter((entry) => isWrong(entry) || entry.status === 0);
    report(`${wrong.length} other failures ${wrong[0]?.text ?? ''}`, wrong.length === 0);
    await reportLedger('read-only', postgres.url, name, entries);
  } finally {
    await gateway?.end('SIGTERM');
    await pool.end();
    await postgres.remove();
  }
}

async function standBy(): Promise<void> {
  const database = await startReplicated({ isSynchronous: false });
  try {
    const [caller] = await createCallers(database.url, 1);
    if (caller === undefined) return;
    await sleep(1_000);
    const gateway = await serve({ DATABASE_URL: database.replicaUrl, ...QUIET });
    const { origin } = gateway;
    const headers = { authorization: caller.authorization, 'content-type': 'application/json' };
    const list = `${origin}/api/v2/workspaces/${caller.workspaceId}/contacts`;
    const read = await fetch(list, { headers });
    const body = JSON.stringify({ contact: { email_address: 'one@example.com' } });
    const write = await fetch(list, { method: 'POST', headers, body });
    const { detail } = (await write.json()) as { detail: string };
    report(
      `a hot standby: a read is answered ${read.status}, a write ${write.status} (${detail})`,
      read.status === 200 && write.status === 503,
    );
    await reportTold(origin, database.replicaUrl);
    await database.promote();
    await sleep(1_000);
    const { status } = await fetch(list, { method: 'POST', headers, body });
    report(`promoted: a write is answered ${status}`, status === 201);
    await gateway.end('SIGTERM');
  } finally {
    await database.remove();
  }
}

async function reportTold(origin: string, url: string): Promise<void> {
  const { status, database } = await readiness(origin);
  report(`/readyz: ${status}, ${database}`, status === 200 && database === 'read-only');
  const env = { PATH: process.env['PATH'], DATABASE_URL: url, SECRET_KEY, PORT: '0' };
  const doctor = run(process.execPath, [join(ROOT, 'bin/funnel-gateway.js'), 'doctor'], { cwd: '/', env });
  const { stdout } = await doctor.catch((error: { stdout: string }) => error);
  const line = stdout.split('\n').find((text) => text.includes('read only'));
  report(`doctor: ${line}`, line?.startsWith('fail') === true);
}

async function readiness(origin: string): Promise<{ status: number; database?: string }> {
  const response = await fetch(`${origin}/readyz`);
  const said = (await response.json()) as { database?: string };
  return { ...said, status: response.status };
}

/** For every session, at once. */
async function set(pool: pg.Pool, value: 'on' | 'off'): Promise<void> {
  await pool.query('set default_transaction_read_only = off');
  await pool.query(`alter system set default_transaction_read_only = ${value}`);
  await pool.query('select pg_reload_conf()');
}

function isWrite({ action }: Entry): boolean {
  return action !== null;
}
