// One server process is frozen, and the network is cut under another connection, while many requests come. All but what
// those two have under way are served within a second, and every answer is its own request's.
// It has to run as root, or as the user that PostgreSQL runs as.
import { setTimeout as sleep } from 'node:timers/promises';
import * as factories from '../support/factories.ts';
import { createNetwork } from '../support/network.ts';
import { quantile, report, withTestBed } from './test-bed.ts';

const SIZES = 50;
const ROUNDS = 40;
const ROUND_MS = 25;

await withTestBed(async ({ url, tenants: [tenant], gateway }) => {
  const network = await createNetwork(url);
  const { app, send, logLines } = gateway({ STATEMENT_TIMEOUT_MS: '3000' }, { databaseUrl: network.url });
  await factories.contacts(app, tenant.workspaceId, SIZES);
  const page = (size: number) =>
    send(`/api/v2/workspaces/${tenant.workspaceId}/contacts?per_page=${size}`, tenant);
  const expected: string[] = [];
  for (let size = 1; size <= SIZES; size++) expected.push((await page(size)).text);

  /** Requests of every size, round after round; what became of them. */
  async function traffic(name: string, maxLost: number): Promise<void> {
    const all: Promise<{ status: number; ms: number; wrong: boolean }>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, text] of expected.entries())
        all.push(
          page(index + 1).then((answer) => ({
            ...answer,
            wrong: answer.status === 200 && answer.text !== text,
          })),
        );
      await sleep(ROUND_MS);
    }
    const answers = await Promise.all(all);
    const times = answers.map(({ ms }) => ms);
    const slow = answers.filter(({ ms }) => ms > 1_000).length;
    const lost = answers.filter(({ status }) => status !== 200).length;
    const wrong = answers.filter((answer) => answer.wrong).length;
    const figures = `${answers.length} requests, p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`;
    report(
      `${name}: ${figures}, ${slow} above a second, ${lost} with 503, ${wrong} wrong`,
      wrong === 0 && slow <= maxLost && lost <= maxLost,
    );
  }

  await traffic('calm', 0);
  const { rows } = await app.store.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query ~ 'unsubscribed_at as' limit 1`,
  );
  const pid = rows[0]?.pid;
  // 0 would be the trial itself, with all that was started with it.
  if (pid === undefined) throw new Error('No server process has read contacts.');
  process.kill(pid, 'SIGSTOP');
  try {
    await traffic('one server process frozen', 1);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await traffic('it goes on', 0);
  // Look-ups, reads and the pool: any of them.
  const cut = network.connections.slice(0, 4);
  for (const connection of cut) connection.cut();
  await traffic('the network cut under four connections', cut.length);
  await traffic('afterwards', 0);
  process.stdout.write(
    `${logLines.length} log lines, ${network.connections.length} connections made in all\n`,
  );
  await network.close();
});
