// Walks of every kind through one list, beside writers that add to it: what they were shown is compared with what there is.
import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import type { App } from '../../../src/context.ts';
import { createServer } from '../../../src/http/server.ts';
import type { HighWaterMarks } from '../../../src/store/high-water-marks/high-water-marks.ts';
import { say } from '../say.ts';
import { report } from '../test-bed.ts';
import { byConnection, byLink, byNext, compare, type Send, walkDown, walkUntil } from './walkers.ts';
import type { Writers } from './writers.ts';

interface Walked {
  /** Two gateways on one database. */
  readonly faces: readonly [Send, Send];
  /** Of the contacts; there are no others in it than those of the writers. */
  readonly workspaceId: bigint;
  readonly pool: pg.Pool;
  /** Prints a finding. */
  readonly tell?: typeof report;
}

/** How a walker asks a gateway in this process. @param highWaterMarks in place of its own */
export function createFace(
  app: App,
  authorization: string,
  highWaterMarks: HighWaterMarks = app.store.highWaterMarks,
): Send {
  const server = createServer({ ...app, store: { ...app.store, highWaterMarks } });
  return async (path, query) => {
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
    const body = query === undefined ? {} : { method: 'POST', body: JSON.stringify({ query }) };
    const answer = await server.fetch(new Request(`http://localhost:4000${path}`, { headers, ...body }));
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
}

/** Walks until the writers are done, and says what of their rows was not shown, or shown twice, in all walks together. */
export async function walkBeside(
  { faces: [one, two], workspaceId, pool, tell = report }: Walked,
  start: () => Writers,
): Promise<{ skipped: number; repeated: number; missed: number }> {
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
  const writers = start();
  let isOver = false;
  const isDone = () => isOver;
  const walks = Promise.all([...upward, byTime].map((walker) => walkUntil(walker, isDone)));
  const down = walkDown(one, path, isDone);
  await writers.done.finally(async () => {
    isOver = true;
    await Promise.allSettled([walks, down]);
  });
  const seconds = (performance.now() - started) / 1000;
  await walks;
  const { rows } = await pool.query<{ id: string; at: string }>(
    `select id, to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from contacts where workspace_id = $1 order by id`,
    [workspaceId],
  );
  const ids = rows.map(({ id }) => Number(id));
  const drawn = (ids.at(-1) ?? 0) - (ids[0] ?? 0) + 1;
  say(
    `${ids.length} rows by 12 writers in ${seconds.toFixed(0)} s, of ${drawn} ids; the others were rolled back`,
  );
  const sum = { skipped: 0, repeated: 0, missed: 0 };
  const count = (found: { skipped: number; repeated: number }) => {
    sum.skipped += found.skipped;
    sum.repeated += found.repeated;
    return found.skipped === 0 && found.repeated === 0;
  };
  for (const { name, seen } of upward) {
    const found = compare(seen, ids);
    tell(`${name}: ${found.skipped} skipped, ${found.repeated} repeated`, count(found));
  }
  sum.missed = rows.filter(({ id, at }) => changes.get(Number(id)) !== at).length;
  tell(
    `${byTime.name}: ${sum.missed} last changes missed, of ${byTime.seen.length} that were shown`,
    sum.missed === 0,
  );
  const descents = await down;
  const below = { skipped: 0, repeated: 0 };
  for (const seen of descents) {
    const found = compare(seen, between(ids, seen.at(-1) ?? 0, seen[0] ?? 0));
    below.skipped += found.skipped;
    below.repeated += found.repeated;
  }
  tell(
    `${descents.length} walks down from the head: ${below.skipped} skipped, ${below.repeated} repeated`,
    count(below),
  );
  return sum;
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
