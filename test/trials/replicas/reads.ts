// Where pages are read, and what they cost the primary, with no replica, one and two. All share the same cores, so that what counts is
// the processor time of the primary's processes for 1,000 pages; pages a second say little here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Caller } from '../faults/load.ts';
import { report } from '../test-bed.ts';
import { processorMs, workersOf } from '../workers/process-tree.ts';
import { countReads, processorTimeOf } from './counts.ts';
import type { Scene } from './scene.ts';

const LOAD = fileURLToPath(new URL('../open-loop.ts', import.meta.url));
const CONNECTIONS = 16;
/** Of the pages, those that the primary reads; and of its processor time without replicas. */
const MAX_SHARE = 0.02;
const MAX_COST = 0.5;

/** Pages with so many replicas by a key that may write, or only read. */
interface Measured {
  readonly scopes: string;
  /** Milliseconds of processor time of the primary for 1,000 pages, beyond what it takes while nobody asks. */
  readonly cost: number;
  /** The latter, a second: what five gateways ask at intervals, and what replicas stream. */
  readonly idle: number;
  readonly perSecond: number;
  /** Milliseconds of processor time of the gateway for a page. */
  readonly node: number;
}

export async function tryReads(scene: Scene): Promise<void> {
  const { callers, readers } = scene;
  const [caller, reader] = [callers[0], readers[0]] as [Caller, Caller];
  const found: Measured[] = [];
  for (const replicas of [0, 1, 2])
    for (const [scopes, key] of [
      ['may write', caller.authorization],
      ['only reads', reader.authorization],
    ] as const)
      found.push(await measure(scene, { replicas, scopes, key }));
  for (const scopes of ['may write', 'only reads']) {
    const [none, ...others] = found.filter((one) => one.scopes === scopes) as [Measured, Measured, Measured];
    const [one, two] = others.map(({ cost }) => cost / none.cost) as [number, number];
    const nodes = others.map(({ node }) => (node / none.node).toFixed(2));
    const rates = others.map(({ perSecond }) => (perSecond / none.perSecond).toFixed(2));
    report(
      `a key that ${scopes}: processor time of the primary for 1,000 pages, against no replica: 1 replica ${one.toFixed(2)}, 2 ${two.toFixed(2)}, at most ${MAX_COST}; of the gateway ${nodes.join(' and ')}; pages a second, where all share two cores, ${rates.join(' and ')}; ${none.idle.toFixed(0)}, ${others.map(({ idle }) => idle.toFixed(0)).join(' and ')} ms of the primary a second without requests`,
      one < MAX_COST && two < MAX_COST,
    );
  }
}

async function measure(
  { topology, callers, seconds }: Scene,
  { replicas, scopes, key }: { readonly replicas: number; readonly scopes: string; readonly key: string },
): Promise<Measured> {
  const path = `/api/v2/workspaces/${callers[0]?.workspaceId}/contacts`;
  const gateway = await topology.startGateway(topology.env(replicas));
  const load = (time: number) =>
    pagesOf(new URL(gateway.origin).port, path, key.replace('Bearer ', ''), time);
  await load(2);
  const idle = await processorTimeOf(topology.primary, () => sleep(1_000 * seconds));
  const { pid = 0 } = gateway.child;
  const pids = [pid, ...(await workersOf(pid))];
  let [pages, busy, node] = [0, 0, 0];
  const { of, share, total } = await countReads(topology.all, async () => {
    const before = await processorMs(pids);
    busy = await processorTimeOf(topology.primary, async () => {
      pages = await load(seconds);
    });
    node = (await processorMs(pids)) - before;
  });
  await gateway.end('SIGKILL');
  const shares = [...of].map(([name, count]) => `${name} ${percent(count / total)}`).join(', ');
  report(
    `${replicas} replicas, a key that ${scopes}: ${pages} pages, of which ${shares}`,
    replicas === 0 ? share('primary') > 1 - MAX_SHARE : share('primary') < MAX_SHARE,
  );
  return {
    cost: (1_000 * (busy - idle)) / pages,
    idle: idle / seconds,
    perSecond: pages / seconds,
    node: node / pages,
    scopes,
  };
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Asks for pages as fast as they are answered. @returns how many were */
async function pagesOf(port: string, path: string, token: string, seconds: number): Promise<number> {
  const args = [LOAD, port, 'closed', String(CONNECTIONS), String(seconds), '0', path, token];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  const { good = 0, late = 0, shed = 0, other = 0, lost = 0 } = JSON.parse(text) as Record<string, number>;
  if (other + lost + shed > 0) throw new Error(`Pages failed: ${text}`);
  return good + late;
}
