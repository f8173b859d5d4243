// Walks through lists to which twelve writers add: no row is skipped, and none is shown twice.
// `npm run trial -- walks [rows] [--without-horizon] [--without-replay]`; 1,000,000 by default. With the first option lists end nowhere,
// with the second one a replica takes the primary's horizon at once: then rows are skipped, and the trial fails. The part about a
// streaming replica needs Debian's `postgresql`.
import { performance } from 'node:perf_hooks';
import { createServer } from '../../src/http/server.ts';
import type { Horizons, Told } from '../../src/store/horizons.ts';
import { TYPE_NUMBER } from '../../src/store/public-ids.ts';
import { report, type TestBed, withTestBed } from './test-bed.ts';
import { tryCost } from './walks/cost.ts';
import { tryReplica } from './walks/replica.ts';
import { tryStuck } from './walks/stuck.ts';
import { byConnection, byLink, byNext, compare, type Send, walkDown, walkUntil } from './walks/walkers.ts';
import { startWriters } from './walks/writers.ts';

const options = process.argv.slice(3);
const ROWS = Number(options.find((option) => !option.startsWith('--')) ?? 1_000_000);
const WITHOUT_HORIZON = options.includes('--without-horizon');
const WITHOUT_REPLAY = options.includes('--without-replay');

/** Everything is settled. */
function noHorizon(): Horizons {
  const all = { id: 2n ** 63n - 2n, time: 8_640_000_000_000_000, drawn: 2n ** 63n - 2n };
  const tables = Object.fromEntries(Object.keys(TYPE_NUMBER).map((table) => [table, all])) as Told['tables'];
  const told = { tables, generation: 0, number: 0 };
  return { latest: () => told, generation: () => 0, asked: () => 0, after: async () => told, forget() {} };
}

async function walk({ url, tenants: [tenant], gateway }: TestBed): Promise<void> {
  const faces = [gateway(), gateway()].map(({ app }): Send => {
    const horizons = WITHOUT_HORIZON ? noHorizon() : app.store.horizons;
    const server = createServer({ ...app, store: { ...app.store, horizons } });
    return async (path, query) => {
      const headers = { Authorization: tenant.authorization, 'Content-Type': 'application/json' };
      const body = query === undefined ? {} : { method: 'POST', body: JSON.stringify({ query }) };
      const answer = await server.fetch(new Request(`http://localhost:4000${path}`, { headers, ...body }));
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
  });
  const [one, two] = faces as [Send, Send];
  const { workspaceId } = tenant;
  const path = `/api/v2/workspaces/${workspaceId}/contacts`;
  const changes = new Map<number, string>();
  const byTime = byLink(two, path, '&sort_property=updated_at', ({ id, updated_at }) =>
    changes.set(id, updated_at),
  );
  const upward = [
    byNext(one, path),
    byLink(two, path),
    byConnection(one, workspaceId, 'forward'),
    byConnection(two, workspaceId, 'backward'),
  ];
  const started = performance.now();
  const writers = startWriters(url, workspaceId, ROWS);
  let isOver = false;
  const isDone = () => isOver;
  const walks = Promise.all([...upward, byTime].map((walker) => walkUntil(walker, isDone)));
  const down = walkDown(one, path, isDone);
  await writers.done.finally(() => {
    isOver = true;
  });
  const seconds = (performance.now() - started) / 1000;
  await walks;
  const { pool } = gateway().app.store;
  const { rows } = await pool.query<{ id: string; at: string }>(
    `select id, to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from contacts where workspace_id = $1 order by id`,
    [workspaceId],
  );
  const ids = rows.map(({ id }) => Number(id));
  process.stdout.write(
    `${ids.length} rows by 12 writers in ${seconds.toFixed(0)} s; ids up to ${ids.at(-1)}, so ${(ids.at(-1) ?? 0) - ids.length} rolled back\n`,
  );
  for (const { name, seen } of upward) {
    const { skipped, repeated } = compare(seen, ids);
    report(`${name}: ${skipped} skipped, ${repeated} repeated`, skipped === 0 && repeated === 0);
  }
  const missed = rows.filter(({ id, at }) => changes.get(Number(id)) !== at).length;
  report(
    `${byTime.name}: ${missed} last changes missed, of ${byTime.seen.length} that were shown`,
    missed === 0,
  );
  let [skipped, repeated] = [0, 0];
  const descents = await down;
  for (const seen of descents) {
    const found = compare(seen, between(ids, seen.at(-1) ?? 0, seen[0] ?? 0));
    skipped += found.skipped;
    repeated += found.repeated;
  }
  report(
    `${descents.length} walks down from the head: ${skipped} skipped, ${repeated} repeated`,
    skipped === 0 && repeated === 0,
  );
}

/** The part of an ascending list from one value to another. */
function between(ids: readonly number[], low: number, high: number): readonly number[] {
  return ids.slice(firstFrom(ids, low), firstFrom(ids, high + 1));
}

function firstFrom(ids: readonly number[], value: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

await withTestBed(async (testBed) => {
  await walk(testBed);
  if (WITHOUT_HORIZON) return;
  await tryStuck(testBed);
  await tryCost(testBed, noHorizon());
});
await tryReplica(Math.min(ROWS, 50_000), WITHOUT_REPLAY);
