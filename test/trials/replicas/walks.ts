// Walks over the gateways, which read at replicas that lag, through a list to which twelve writers add with transactions that overlap:
// nothing is skipped. Then the same with a function `horizons` that overlooks what is under way: now it must be.
import type { Caller } from '../faults/load.ts';
import { report } from '../test-bed.ts';
import { byConnection, byLink, byNext, compare, type Send, walkUntil } from '../walks/walkers.ts';
import { startWriters } from '../walks/writers.ts';
import { ask } from './ask.ts';
import { countReads } from './counts.ts';
import { type Scene, untilReplayed } from './scene.ts';
import { setDelay } from './topology.ts';

const DELAY = '50ms';
const ROWS_PER_SECOND = 250;

export async function tryWalks(scene: Scene): Promise<void> {
  const { topology, callers, seconds } = scene;
  const [guarded, unguarded] = callers as [Caller, Caller];
  const { pool } = topology.primary;
  for (const replica of topology.replicas) await setDelay(replica, DELAY);
  try {
    await walk(scene, guarded, ROWS_PER_SECOND * seconds, false);
    const { rows } = await pool.query<{ text: string }>(
      "select pg_get_functiondef('horizons'::regproc) as text",
    );
    await pool.query(withoutFloors(rows[0]?.text ?? ''));
    await untilReplayed(topology);
    try {
      await walk(scene, unguarded, (ROWS_PER_SECOND * seconds) / 2, true);
    } finally {
      await pool.query(rows[0]?.text ?? '');
    }
  } finally {
    for (const replica of topology.replicas) await setDelay(replica, '0');
  }
}

/** The function with no locks to be found. */
function withoutFloors(text: string): string {
  const changed = text.replace("l.locktype = 'advisory'", "l.locktype = 'none of these'");
  if (changed === text) throw new Error('The function horizons reads locks in another way');
  return changed;
}

async function walk({ topology }: Scene, caller: Caller, total: number, isUnguarded: boolean): Promise<void> {
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
  if (isUnguarded)
    report(
      `without its guard (a horizon that overlooks what is under way): ${skipped} of ${ids.length} rows skipped`,
      skipped > 0,
    );
  else
    report(
      `walks at replicas ${DELAY} behind: ${ids.length} rows by twelve writers, ${walkers.length} walkers, ${skipped} skipped, ${repeated} repeated; the primary's share of their reads is ${percent.toFixed(1)} %`,
      skipped === 0 && repeated === 0 && percent < 20,
    );
}

function sendTo(origin: string, caller: Caller): Send {
  return (path, query) => ask(origin + path, caller, query === undefined ? {} : { body: { query } });
}
