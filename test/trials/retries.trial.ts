// Clients change contacts while the gateway, and PostgreSQL under it, are killed again and again: what was not answered is sent again
// with its idempotency key, and every change was made once. `npm run trial -- retries [kills]`; 24 by default, every third of them of
// a server process of PostgreSQL's, whereupon all of its others end and it recovers from its log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { createClient } from '../support/contacts/client.ts';
import { findUnchanged, requireHistory } from '../support/contacts/history.ts';
import { type Plan, plans } from '../support/contacts/plans.ts';
import { createRetrying } from '../support/contacts/retrying.ts';
import { createSession, type Session } from '../support/contacts/session.ts';
import { freePort } from '../support/free-port.ts';
import { prismaOf } from '../support/prisma.ts';
import { ROOT } from './child-processes.ts';
import { killServerProcess } from './kill-server-process.ts';
import { SECRET_KEY } from './secret-key.ts';
import { report, withTestBed } from './test-bed.ts';

const KILLS = Number(process.argv[3] ?? 24);
const WORKSPACES_AT_ONCE = 4;
const CLIENTS = 3;
/** All contacts of a workspace are one page. */
const CHANGES_A_CLIENT = 40;
/** A kill comes after so many more answers at most. */
const MAX_ANSWERS = 60;
const MAX_WAIT_MS = 10_000;
const MAX_ATTEMPTS = 5_000;

await withTestBed(async ({ url, tenants: [{ authorization, teamId }], gateway: inProcess }) => {
  const { app } = inProcess();
  const port = await freePort();
  let gateway = await startGateway(url, port);
  const seed = Date.now() % 2 ** 31;
  process.stdout.write(`seed ${seed}\n`);
  let answers = 0;
  const { send, retried } = createRetrying(async (path, options) => {
    const headers = { ...options.headers, Authorization: authorization };
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...options, headers, signal });
    const answer = { status: response.status, text: await response.text() };
    answers++;
    return answer;
  }, MAX_ATTEMPTS);
  const workspaceIds = Array.from({ length: 400 }, (_, index) => BigInt(10_000 + index));
  await prismaOf(app.store).workspace.createMany({
    data: workspaceIds.map((id) => ({ id, teamId, name: `Trial ${id}`, subdomain: `trial-${id}` })),
  });

  let isOver = false;
  let opened = 0;
  const sessions: Session[] = [];
  let failure: unknown = null;
  const workers = Array.from({ length: WORKSPACES_AT_ONCE }, async () => {
    while (!isOver) {
      const index = opened++;
      const workspaceId = workspaceIds[index];
      if (workspaceId === undefined) throw new RangeError('There are no more workspaces');
      const session = await createSession(createClient(send, workspaceId), workspaceId);
      sessions.push(session);
      await sendRandom(session, seed + index);
    }
  }).map((worker) =>
    worker.catch((error: unknown) => {
      failure ??= error;
    }),
  );

  const started = performance.now();
  for (let kills = 1; kills <= KILLS && failure === null; kills++) {
    const until = answers + Math.ceil(Math.random() * MAX_ANSWERS);
    while (answers < until && failure === null) await sleep(1);
    if (kills % 3 === 0) {
      await killServerProcess(url);
    } else {
      const ended = once(gateway, 'exit');
      gateway.kill('SIGKILL');
      await ended;
      gateway = await startGateway(url, port);
    }
  }
  isOver = true;
  await Promise.all(workers);
  if (failure !== null) report(`a client: ${String(failure)}`, false);
  const seconds = Math.round((performance.now() - started) / 1_000);

  const pool = new pg.Pool({ connectionString: url });
  const query = (text: string, values: unknown[]) => pool.query(text, values);
  let [made, refused] = [0, 0];
  for (const session of sessions) {
    const { client, workspaceId, sent } = session;
    try {
      await session.retryAll(await findUnchanged({ query, workspaceId, sent }));
      await requireHistory({ query, client, workspaceId, sent, haveTagsRaced: true });
    } catch (error) {
      report(`workspace ${workspaceId}: ${String(error)}`, false);
    }
    made += sent.filter(({ answer }) => answer !== null).length;
    refused += sent.filter(({ answer }) => answer === null).length;
  }
  report(`${KILLS} kills in ${seconds} s; ${made} changes were made, and ${refused} refused`, made > 0);
  const entries = await pool.query<{ request_id: string }>('select request_id from audit_entries');
  const isAnsweredLater = ({ request_id }: { request_id: string }) => {
    const [, id = '', attempt] = /^(.*)-(\d+)$/.exec(request_id) ?? [];
    return (retried.get(id) ?? 0) > Number(attempt);
  };
  const found = entries.rows.filter(isAnsweredLater).length;
  report(
    `${retried.size} requests were sent again; ${found} changes had been made without an answer`,
    retried.size > 0 && found > 0,
  );
  await pool.end();
  gateway.kill('SIGTERM');
  await once(gateway, 'exit');
});

async function sendRandom(session: Session, seed: number): Promise<void> {
  // Each retry of what was erased since is refused, and which tag was deleted first is not told: never both.
  const arbitrary = plans(seed % 2 === 0 ? ['erase'] : ['removeTag']);
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const list: Plan[] = fc.sample(arbitrary, { numRuns: CHANGES_A_CLIENT, seed: seed * CLIENTS + index });
    for (const plan of list) await session.send({ ...plan, copies: Math.max(1, plan.copies) });
  });
  await Promise.all(clients);
}

/** A gateway in a process of its own that answers. */
async function startGateway(url: string, port: number) {
  const child = spawn(process.execPath, ['bin/funnel-gateway.js', 'serve', '--json'], {
    cwd: ROOT,
    env: {
      ...{ PATH: process.env['PATH'], DATABASE_URL: url, PORT: String(port), LOG_LEVEL: 'fatal' },
      SECRET_KEY,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('The gateway did not start');
  });
  await Promise.race([ended, once(createInterface({ input: child.stdout }), 'line')]);
  ended.catch(() => {});
  return child;
}
