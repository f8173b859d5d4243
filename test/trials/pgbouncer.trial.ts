// A real PgBouncer in transaction mode takes LISTEN and hands nothing on. The gateway notices, remembers nothing and
// says so; with DATABASE_LISTEN_URL it hears.
// Where it keeps no prepared statements (before 1.21, or with max_prepared_statements = 0), PREPARED_STATEMENTS=off is what works.
// It needs `pgbouncer`, as Debian has it.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { listenForChanges } from '../../src/store/changing/change-listener.ts';
import { query } from '../support/cluster.ts';
import { ROOT } from './child-processes.ts';
import { startPgBouncer } from './faults/pgbouncer.ts';
import { SECRET_KEY } from './secret-key.ts';
import { report, withTestBed } from './test-bed.ts';

const ROUNDS = 100;
const AT_ONCE = 30;

await withTestBed(async ({ url, gateway, tenants }) => {
  // Only the owner of PostgreSQL's socket may enter there.
  const { uid, gid } = await stat(new pg.Client({ connectionString: url }).host);
  const bouncer = await startPgBouncer(url, { poolSize: 2, user: { uid, gid } });
  try {
    const listener = new pg.Client({ connectionString: bouncer.url });
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.connect();
    await listener.query('listen trial');
    const other = new pg.Client({ connectionString: bouncer.url });
    await other.connect();
    for (let index = 0; index < 20; index++)
      await other.query(`select pg_notify('trial', 'another session')`);
    await sleep(500);
    report(
      `LISTEN through PgBouncer was accepted and heard ${heard.length} of 20 notifications`,
      heard.length === 0,
    );
    await listener.query(`select pg_notify('trial', 'own')`);
    await sleep(500);
    process.stdout.write(
      `what the same session said it heard ${heard.filter((said) => said === 'own').length} times\n`,
    );
    await Promise.all([listener.end(), other.end()]);

    for (const [name, listenUrl] of [
      ['pooler alone', undefined],
      ['DATABASE_LISTEN_URL', url],
    ] as const) {
      const addresses = { databaseUrl: bouncer.url, ...(listenUrl !== undefined && { listenUrl }) };
      const { app, logLines } = gateway({}, addresses);
      const changes = listenForChanges({ store: app.store, log: app.log, onChange() {} });
      let wasLive = false;
      for (let waited = 0; waited < 15_000 && !wasLive; waited += 50) {
        await sleep(50);
        wasLive = changes.live;
      }
      const warnings = logLines.filter((line) => line.includes('DATABASE_LISTEN_URL')).length;
      const isGood = listenUrl === undefined ? !wasLive && warnings === 1 : wasLive && warnings === 0;
      report(`${name}: live ${wasLive}, ${warnings} warnings`, isGood);
      await changes.close();
    }
    // The server's own settings would change dates. What PgBouncer has opened before keeps them.
    const { database: name } = new pg.Client({ connectionString: url });
    await query(
      url,
      `alter database ${name} set timezone = 'America/New_York'; alter database ${name} set datestyle = 'German'`,
    );
    const foreign = await startPgBouncer(url, { poolSize: 2, user: { uid, gid } });
    try {
      const said = await migrate(foreign.url);
      report(
        `migrate through PgBouncer, whose connections are old: ${said.split('\n')[0]}`,
        said.includes('RECONNECT'),
      );
      await query(`${new URL('/pgbouncer', foreign.url).href}`, 'reconnect');
      const again = await migrate(foreign.url);
      report(`migrate after RECONNECT: ${again}`, again.startsWith('The database is up to date.'));
      const [tenant] = tenants;
      const { send } = gateway({ PREPARED_STATEMENTS: 'off' }, { databaseUrl: foreign.url, listenUrl: url });
      const workspace = Buffer.from(`Workspace:${tenant.workspaceId}`).toString('base64');
      await send(
        '/graphql',
        tenant,
        `mutation { createContact(input: { workspaceId: "${workspace}", firstName: "Ann" }) { contact { id } } }`,
      );
      const path = `/api/v2/workspaces/${tenant.workspaceId}/contacts?sort_property=updated_at`;
      const { status, text } = await send(path, tenant);
      const isRead =
        /"updated_at":"\d{4}-\d\d-\d\dT[\d:.]+Z"/.test(text) && !text.includes('"updated_at":null');
      report(
        `a list in the order of changes: ${status}, ${isRead ? 'every' : 'not every'} time is read`,
        status === 200 && isRead,
      );
    } finally {
      await foreign.stop();
      await query(url, `alter database ${name} reset all`);
    }

    // Reads are sent again where a statement is not there; changes are not.
    const [tenant] = tenants;
    for (const prepared of ['on', 'off'] as const) {
      const { send } = gateway(
        { PREPARED_STATEMENTS: prepared, POOL_SIZE: '8' },
        { databaseUrl: bouncer.url, listenUrl: url },
      );
      const paths = [
        `/api/v2/workspaces/${tenant.workspaceId}/contacts`,
        '/api/v2/teams',
        `/api/v2/teams/${tenant.teamId}/workspaces`,
      ];
      const workspace = Buffer.from(`Workspace:${tenant.workspaceId}`).toString('base64');
      const create = `mutation { createContact(input: { workspaceId: "${workspace}", firstName: "Ann" }) { contact { id } } }`;
      let failed = 0;
      let changed = 0;
      const began = performance.now();
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) => send(paths[index % paths.length] ?? '', tenant)),
        );
        const changes = await Promise.all(Array.from({ length: 4 }, () => send('/graphql', tenant, create)));
        changed += changes.filter(({ text }) => text.includes('"data":{"createContact":{')).length;
        failed += answers.filter(({ status }) => status !== 200).length;
      }
      const all = ROUNDS * AT_ONCE;
      const rate = Math.round((all * 1_000) / (performance.now() - began));
      report(
        `PREPARED_STATEMENTS=${prepared} through PgBouncer: ${failed} of ${all} reads and ${4 * ROUNDS - changed} of ${4 * ROUNDS} changes failed, ${rate} reads a second`,
        prepared === 'on' || (failed === 0 && changed === 4 * ROUNDS),
      );
    }
  } finally {
    await bouncer.stop();
  }
});

/** Runs `migrate` as an operator does. @returns what it said */
async function migrate(databaseUrl: string): Promise<string> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, SECRET_KEY };
  const command = promisify(execFile)(process.execPath, ['bin/funnel-gateway.js', 'migrate'], {
    cwd: ROOT,
    env,
  });
  const { stdout, stderr } = await command.catch((failed: { stdout: string; stderr: string }) => failed);
  return `${stdout}${stderr}`.trim();
}
