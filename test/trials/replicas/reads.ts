// Where pages are read, and what they cost the primary, with no replica, one and two. All share the same cores, so that what counts is
// what the primary has to do for a page; pages a second say little here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Serving } from '../faults/gateway.ts';
import type { Caller } from '../faults/load.ts';
import { processorMs } from '../processor-time.ts';
import { say } from '../say.ts';
import { report } from '../test-bed.ts';
import { countReads, processorTimeOf, statementsOf } from './counts.ts';
import type { Scene } from './scene.ts';
import type { Topology } from './topology.ts';

const LOAD = fileURLToPath(new URL('../open-loop.ts', import.meta.url));
const CONNECTIONS = 16;
/** Of the pages, those that the primary reads; and of the statements that it executes for them without replicas. */
const MAX_SHARE = 0.05;
const MAX_STATEMENTS = 0.5;
const ROUNDS = 3;

/** One round with so many replicas and one key. */
interface Round {
  /** Statements that the primary executes for 1,000 pages. */
  readonly statements: number;
  /** Milliseconds of processor time of the primary for 1,000 pages, beyond what it takes while nobody asks. */
  readonly primary: number;
  /** The gateway's. */
  readonly gateway: number;
  readonly perSecond: number;
}

interface Variant {
  readonly replicas: number;
  readonly gateway: Serving;
}

export async function tryReads(scene: Scene): Promise<void> {
  const { topology, callers, readers, seconds } = scene;
  const variants: Variant[] = [];
  for (const replicas of [0, 1, 2])
    variants.push({ replicas, gateway: await topology.startGateway(topology.env(replicas)) });
  // What seven gateways ask at intervals, and what replicas stream.
  const idle = (await processorTimeOf(topology.primary, () => sleep(1_000 * seconds))) / seconds;
  say(`    the primary without requests: ${idle.toFixed(0)} ms of processor time a second`);
  for (const [scopes, [caller]] of [
    ['may write', callers],
    ['only reads', readers],
  ] as const)
    await compare(scene, variants, { scopes, caller: caller as Caller, idle });
  for (const { gateway } of variants) await gateway.end('SIGKILL');
}

async function compare(
  { topology, seconds }: Scene,
  variants: readonly Variant[],
  { scopes, caller, idle }: { readonly scopes: string; readonly caller: Caller; readonly idle: number },
): Promise<void> {
  const found: Round[][] = variants.map(() => []);
  const pages: Pages[] = variants.map(() => ({ total: 0, by: new Map() }));
  // The first round is for the compiler.
  for (let round = -1; round < ROUNDS; round++)
    for (const [index, variant] of variants.entries()) {
      const run = () => measure(topology, variant, { caller, seconds: seconds / ROUNDS, idle });
      if (round < 0) {
        await run();
        continue;
      }
      const counted = await countReads(topology.all, async () => void found[index]?.push(await run()));
      const all = pages[index] as Pages;
      all.total += counted.total;
      for (const [name, count] of counted.of) all.by.set(name, (all.by.get(name) ?? 0) + count);
    }
  for (const [index, { replicas }] of variants.entries()) {
    const { total, by } = pages[index] as Pages;
    const share = (by.get('primary') ?? 0) / total;
    report(
      `${replicas} replicas, a key that ${scopes}: ${total} pages, of which ${[...by].map(([name, count]) => `${name} ${percent(count / total)}`).join(', ')}`,
      replicas === 0 ? share > 1 - MAX_SHARE : share < MAX_SHARE,
    );
  }
  const [none, one, two] = found as [Round[], Round[], Round[]];
  // Each round by itself: what else the machine does is the same for all.
  const ratio = (of: Round[], what: keyof Round) =>
    median(of.map((round, index) => round[what] / (none[index] as Round)[what]));
  const both = (what: keyof Round) => `${ratio(one, what).toFixed(2)} and ${ratio(two, what).toFixed(2)}`;
  report(
    `a key that ${scopes}, with 1 and 2 replicas against none, for a page: statements of the primary ${both('statements')}, at most ${MAX_STATEMENTS}; its processor time ${both('primary')}, of the gateway ${both('gateway')}; pages a second, where all share two cores, ${both('perSecond')}`,
    ratio(one, 'statements') < MAX_STATEMENTS && ratio(two, 'statements') < MAX_STATEMENTS,
  );
}

/** Reads of all rounds, and by which server. */
interface Pages {
  total: number;
  readonly by: Map<string, number>;
}

async function measure(
  { primary }: Topology,
  { gateway }: Variant,
  { caller, seconds, idle }: { readonly caller: Caller; readonly seconds: number; readonly idle: number },
): Promise<Round> {
  const path = `/api/v2/workspaces/${caller.workspaceId}/contacts`;
  const { pid = 0 } = gateway.child;
  const pids = [pid];
  let [pages, node] = [0, 0];
  const before = await statementsOf(primary);
  const busy = await processorTimeOf(primary, async () => {
    const before = await processorMs(pids);
    const token = caller.authorization.replace('Bearer ', '');
    pages = await pagesOf(new URL(gateway.origin).port, path, token, seconds);
    node = (await processorMs(pids)) - before;
  });
  const thousands = pages / 1_000;
  return {
    statements: ((await statementsOf(primary)) - before) / thousands,
    primary: Math.max(0, busy - idle * seconds) / thousands,
    gateway: node / thousands,
    perSecond: pages / seconds,
  };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
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
