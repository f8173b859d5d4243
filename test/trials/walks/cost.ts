// What the mark costs a page of rows that have been settled for long: the same pages with it and without, in turn.
import { readFile } from 'node:fs/promises';
import { createServer } from '../../../src/http/server.ts';
import type { HighWaterMarks } from '../../../src/store/high-water-marks/high-water-marks.ts';
import { report, type TestBed } from '../test-bed.ts';

const ROUNDS = 10;
const PAGES = 500;

/** Microseconds of processor time a page. */
interface Cost {
  readonly node: number;
  readonly postgres: number;
}

export async function tryCost(
  { tenants: [tenant], gateway }: TestBed,
  without: HighWaterMarks,
): Promise<void> {
  const { app } = gateway();
  const { pool, highWaterMarks } = app.store;
  const { rows } = await pool.query<{ id: string }>(
    'select id from contacts where workspace_id = $1 order by id offset 10',
    [tenant.workspaceId],
  );
  const ids = rows.slice(0, -30).map(({ id }) => id);
  const variants = [highWaterMarks, without].map((used) =>
    createServer({ ...app, store: { ...app.store, highWaterMarks: used } }),
  );
  const headers = { Authorization: tenant.authorization };

  async function read(server: (typeof variants)[number], pages: number): Promise<Cost> {
    const before = await processorTime();
    const started = process.cpuUsage();
    for (let page = 0; page < pages; page++) {
      const after = ids[Math.floor(Math.random() * ids.length)];
      const url = `http://localhost:4000/api/v2/workspaces/${tenant.workspaceId}/contacts?per_page=20&after=${after}`;
      await (await server.fetch(new Request(url, { headers }))).text();
    }
    const { user, system } = process.cpuUsage(started);
    const used = (await processorTime()) - before;
    return { node: (user + system) / pages, postgres: used / pages };
  }

  /** Of the processes of PostgreSQL that serve the gateway, in microseconds. */
  async function processorTime(): Promise<number> {
    const { rows: backends } = await pool.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name like 'funnel-gateway/%'",
    );
    const times = await Promise.all(
      backends.map(async ({ pid }) =>
        Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0]),
      ),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1000;
  }

  for (const server of variants) await read(server, 2 * PAGES);
  const asked = highWaterMarks.asked();
  const costs: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++)
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      costs[index].push(await read(variants[index] as (typeof variants)[number], PAGES));
  const median = (of: readonly Cost[], side: keyof Cost) =>
    of.map((cost) => cost[side]).toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0;
  for (const side of ['node', 'postgres'] as const) {
    const [used, unused] = costs.map((of) => median(of, side)) as [number, number];
    process.stdout.write(
      `    processor time a page of 20, ${side}: ${used.toFixed(0)} µs, ${unused.toFixed(0)} µs without (${((used / unused - 1) * 100).toFixed(1)} %)\n`,
    );
  }
  report(
    `${ROUNDS * PAGES} pages of settled rows asked for ${highWaterMarks.asked() - asked} marks`,
    highWaterMarks.asked() === asked,
  );
}
