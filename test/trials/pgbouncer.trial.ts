// A real PgBouncer in transaction mode takes LISTEN and hands nothing on. The gateway notices, remembers nothing and
// says so; with DATABASE_LISTEN_URL it hears.
// It needs `pgbouncer`, as Debian has it.
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { listenForChanges } from '../../src/store/change-listener.ts';
import { startPgBouncer } from './faults/pgbouncer.ts';
import { report, withTestBed } from './test-bed.ts';

await withTestBed(async ({ url, gateway }) => {
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
  } finally {
    await bouncer.stop();
  }
});
