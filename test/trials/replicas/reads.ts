// Where pages are read, and what they cost the primary, with no replica, one and two. All share the same cores, so that what counts is
// the processor time of the primary's processes for 1,000 pages; pages a second say little here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Caller } from '../faults/load.ts';
import { createKeys } from '../faults/tenants.ts';
import { report } from '../test-bed.ts';
import { countReads, processorTimeOf } from './counts.ts';
import type { Scene } from './scene.ts';

const LOAD = fileURLToPath(new URL('../open-loop.ts', import.meta.url));
const CONNECTIONS = 16;
/** Of the pages, those that the primary reads; and of its processor time without replicas. */
const MAX_SHARE = 0.02;
const MAX_COST = 0.5;

/** Pages with so many replicas by a key that may write, or only read. */
interface Measured {
  readonly replicas: number;
  readonly scopes: string;
  /** Milliseconds of processor time of the primary for 1,000 pages. */
  readonly cost: number;
  readonly perSecond: number;
}

export async function tryReads(scene: Scene): Promise<void> {
  const { topology, callers } = scene;
  const [caller] = callers as [Caller];
  const [reader = ''] = await createKeys(topology.primaryUrl, caller, 1, ['read']);
  const found: Measured[] = [];
  for (const replicas of [0, 1, 2])
    for (const [scopes, key] of [
      ['may write', caller.authorization],
      ['only reads', reader],
    ] as const)
      found.push(await measure(scene, { replicas, scopes, key }));
  for (const scopes of ['may write', 'only reads']) {
    const [none, ...others] = found.filter((one) => one.scopes === scopes) as [Measured, Measured, Measured];
    const [one, two] = others.map(({ cost }) => cost / none.cost) as [number, number];
    const rates = others.map(({ perSecond }) => (perSecond / none.perSecond).toFixed(2));
    report(
      `a key that ${scopes}: processor time of the primary for 1,000 pages, against no replica: 1 replica ${one.toFixed(2)}, 2 ${two.toFixed(2)}, at most ${MAX_COST}; pages a second, where all share two cores, ${rates.join(' and ')}`,
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
  const before = await processorTimeOf(topology.primary);
  let pages = 0;
  const { of, share, total } = await countReads(topology.all, async () => {
    pages = await load(seconds);
  });
  const cost = (1_000 * ((await processorTimeOf(topology.primary)) - before)) / pages;
  await gateway.end('SIGKILL');
  const shares = [...of].map(([name, count]) => `${name} ${percent(count / total)}`).join(', ');
  report(
    `${replicas} replicas, a key that ${scopes}: ${pages} pages, of which ${shares}`,
    replicas === 0 ? share('primary') > 1 - MAX_SHARE : share('primary') < MAX_SHARE,
  );
  return { replicas, scopes, cost, perSecond: pages / seconds };
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
