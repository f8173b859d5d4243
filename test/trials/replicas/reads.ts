// Where pages are read, and what they cost the primary, with no replica, one and two. All share the same cores, so that what counts is
// the processor time of the primary's processes for 1,000 pages; pages a second say little here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { say } from '../say.ts';
import { report } from '../test-bed.ts';
import { countReads, processorTimeOf } from './counts.ts';
import type { Scene } from './scene.ts';

const LOAD = fileURLToPath(new URL('../open-loop.ts', import.meta.url));
const CONNECTIONS = 16;
/** Of the pages, those that the primary reads; and of its processor time without replicas. */
const MAX_SHARE = 0.02;
const MAX_COST = 0.25;

export async function tryReads({ topology, callers, seconds }: Scene): Promise<void> {
  const [caller] = callers;
  if (caller === undefined) throw new Error('no caller');
  const path = `/api/v2/workspaces/${caller.workspaceId}/contacts`;
  const token = caller.authorization.replace('Bearer ', '');
  const found: { cost: number; perSecond: number }[] = [];
  for (const replicas of [0, 1, 2]) {
    const gateway = await topology.startGateway(topology.env(replicas));
    const load = (time: number) => pagesOf(new URL(gateway.origin).port, path, token, time);
    await load(2);
    const before = await processorTimeOf(topology.primary);
    let pages = 0;
    const { of, share, total } = await countReads(topology.all, async () => {
      pages = await load(seconds);
    });
    const cost = (1_000 * ((await processorTimeOf(topology.primary)) - before)) / pages;
    found.push({ cost, perSecond: pages / seconds });
    await gateway.end('SIGKILL');
    const shares = [...of].map(([name, count]) => `${name} ${percent(count / total)}`).join(', ');
    report(
      `${replicas} replicas: ${pages} pages, of which ${shares}`,
      replicas === 0 ? share('primary') > 1 - MAX_SHARE : share('primary') < MAX_SHARE,
    );
  }
  const [none, one, two] = found as [(typeof found)[0], (typeof found)[0], (typeof found)[0]];
  const ratio = (name: 'cost' | 'perSecond', { [name]: value }: (typeof found)[0]) =>
    (value / none[name]).toFixed(2);
  say(
    `    pages a second on two shared cores, against no replica: 1 replica ${ratio('perSecond', one)}, 2 ${ratio('perSecond', two)}`,
  );
  report(
    `processor time of the primary for 1,000 pages, against no replica: 1 replica ${ratio('cost', one)}, 2 ${ratio('cost', two)}, at most ${MAX_COST}`,
    one.cost / none.cost < MAX_COST && two.cost / none.cost < MAX_COST,
  );
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
