// Walks over the gateways, which read at replicas that lag, through a list to which twelve writers add with transactions that overlap:
// nothing is skipped. Then the same with a function `horizons` that overlooks what is under way: now it must be.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../faults/load.ts';
import { report } from '../test-bed.ts';
import { byConnection, byLink, byNext, compare, type Send, walkUntil } from '../walks/walkers.ts';
import { startWriters } from '../walks/writers.ts';
import { ask } from './ask.ts';
import { countReads } from './counts.ts';
import { type Scene, untilReplayed } from './scene.ts';
import { MAX_LAG_MS, setDelay, type Topology } from './topology.ts';
import { withoutPositions } from './without-positions.ts';

/** Longer than a gateway keeps a high-water mark. */
const DELAY = '300ms';
/** In percent. A page that goes on from where the other replica was, and this one is not yet, is the primary's: at the end of a list that is many. */
const MOST_OF_PRIMARY = 50;
const ROWS_PER_SECOND = 250;

export async function tryWalks(scene: Scene): Promise<void> {
  const { topology, readers, seconds } = scene;
  const [guarded, unheld, unplaced] = readers as [Caller, Caller, Caller];
  const total = ROWS_PER_SECOND * seconds;
  for (const replica of topology.replicas) await setDelay(replica, DELAY);
  try {
    await walk(scene, guarded, total, null);
    await withoutFloors(topology, () =>
      walk(scene, unheld, total / 2, 'a high-water mark that overlooks what is under way'),
    );
    await withoutPositions(topology, () =>
      walk(scene, unplaced, total / 2, 'a high-water mark that is used before it is replayed'),
    );
  } finally {
    for (const replica of topology.replicas) await setDelay(replica, '0');
  }
}

/** Does something while the function `horizons` finds no locks. */
async function withoutFloors(topology: Topology, work: () => Promise<void>): Promise<void> {
  const { pool } = topology.primary;
  const { rows } = await pool.query<{ text: string }>(
    "select pg_get_functiondef('horizons'::regproc) as text",
  );
  const text = rows[0]?.text ?? '';
  const changed = text.replace("l.locktype = 'advisory'", "l.locktype = 'none of these'");
  if (changed === text) throw new Error('The function horizons reads locks in another way');
  await pool.query(changed);
  await untilReplayed(topology);
  await work().finally(() => pool.query(text));
}

/** @param missing the guard that was taken out, if any */
async function walk(
  { topology }: Scene,
  caller: Caller,
  total: number,
  missing: string | null,
): Promise<void> {
  const { workspaceId } = caller;
  const [one, two, three, four] = topology.gateways.map(({ origin }) => sendTo(origin, caller)) as [
    Send,
    Send,
    Send,
    Send,
  ];
  const path = `/api/v2/workspaces/${workspaceId}/contacts`;
  const walkers = [
    byNext(one, path),
    byLink(two, path),
    byConnection(three, BigInt(workspaceId), 'forward'),
    byConnection(four, BigInt(workspaceId), 'backward'),
  ];
  const { share } = await countReads(topology.all, async () => {
    const writers = startWriters(topology.primary.server.url, BigInt(workspaceId), total);
    let isOver = false;
    const walks = Promise.all(walkers.map((walker) => walkUntil(walker, () => isOver)));
    await writers.done;
    await untilReplayed(topology);
    // Until every gateway knows of it.
    await sleep(MAX_LAG_MS);
    isOver = true;
    await walks;
  });
  const { rows } = await topology.primary.pool.query<{ id: string }>(
    'select id from contacts where workspace_id = $1 order by id',
    [workspaceId],
  );
  const ids = rows.map(({ id }) => Number(id));
  const found = walkers.map(({ name, seen }) => ({ name, ...compare(seen, ids) }));
  const sum = (what: 'skipped' | 'repeated') => found.reduce((all, { [what]: count }) => all + count, 0);
  const [skipped, repeated, percent] = [sum('skipped'), sum('repeated'), 100 * share('primary')];
  if (missing !== null)
    report(`without its guard (${missing}): ${skipped} of ${ids.length} rows skipped`, skipped > 0);
  else
    report(
      `walks at replicas ${DELAY} behind: ${ids.length} rows by twelve writers, ${walkers.length} walkers, ${skipped} skipped, ${repeated} repeated; the primary's share of their reads is ${percent.toFixed(1)} %`,
      skipped === 0 && repeated === 0 && percent < MOST_OF_PRIMARY,
    );
}

function sendTo(origin: string, caller: Caller): Send {
  return (path, query) => ask(origin + path, caller, query === undefined ? {} : { body: { query } });
}
