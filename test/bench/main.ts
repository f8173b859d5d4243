// `npm run bench`: the gateway, its peers and the limit on the same rows, interleaved in one run (see --help).
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../src/errors.ts';
import { ignoreClosedPipes } from '../../src/output/closed-pipe.ts';
import { attempt, type Bench } from './bench.ts';
import { CREATORS, measureCreates } from './creates.ts';
import { type Dataset, openDataset } from './dataset.ts';
import { measureDeepPage } from './deep.ts';
import { measureFilters } from './filters.ts';
import { buildGoServer } from './go-server.ts';
import { measureHalfLoad } from './half-load.ts';
import { startLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { cpuRatio, measure, ratio, ratioToLimit, toRows } from './measure.ts';
import { measureMemory } from './memory.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { measureOrderCreates, ORDER_CREATORS } from './orders/order-creates.ts';
import { installPeers } from './peers.ts';
import { createProgress, type Progress } from './progress.ts';
import { measureRefusals } from './refusals.ts';
import { measureRemovals } from './removal.ts';
import { type Result, toJson, toMarkdown, toText } from './report.ts';
import { measureStarts } from './startup.ts';
import { countStatements } from './statements.ts';
import { type Subject, startSubject } from './subject.ts';
import { SUBJECTS, type SubjectName } from './subjects.ts';
import { measureTokenOverhead } from './tokens.ts';
import { measureVisits } from './visits.ts';
import { measureWalks } from './walk.ts';
import { measureWebhooks } from './webhooks.ts';
import { WORKLOADS } from './workloads.ts';

const CACHE = fileURLToPath(new URL('../../.cache/bench', import.meta.url));
const PEERS: readonly SubjectName[] = ['postgraphile', 'stock', 'mercurius'];
const INTERRUPTED = 130;

ignoreClosedPipes(process.stdout, process.stderr);
const progress = createProgress();
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    progress.say('Stopping: the subjects, then the database');
    interruption.abort(new Error('interrupted'));
  });
}
process.exit(await main());

async function main(): Promise<number> {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options === null) {
      process.stdout.write(HELP);
      return 0;
    }
    const result = await run(options, interruption.signal);
    const write = { json: toJson, markdown: toMarkdown, text: toText }[options.format];
    process.stdout.write(`${write(result)}\n`);
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) return INTERRUPTED;
    const plain = error instanceof StartupError || (error instanceof Error && 'code' in error);
    process.stderr.write(`${plain ? error.message : error instanceof Error ? error.stack : error}\n`);
    return 1;
  }
}

/** Sets everything up, runs the parts, and takes everything down again whatever happens. */
async function run(options: Options, signal: AbortSignal): Promise<Result> {
  const { plan, parts } = options;
  await mkdir(CACHE, { recursive: true });
  const hasPeers = await installPeers(progress, signal);
  const hasGo = await buildGoServer(progress, signal);
  const dataset = await openDataset(CACHE, plan.rows, progress);
  const logDir = await mkdtemp(join(CACHE, 'run-'));
  const load = startLoad(signal);
  const subjects = new Map<SubjectName, Subject>();
  const settings = { databaseUrl: dataset.url, poolSize: plan.poolSize, logDir, signal };
  const bench: Bench = { plan, dataset, load, progress, settings, signal, subjects };
  try {
    const machine = await describeMachine({
      postgres: dataset.postgresVersion,
      contacts: plan.rows,
      connections: plan.connections,
      pool_size: plan.poolSize,
      rounds: plan.rounds,
      round_seconds: plan.roundSeconds,
    });
    for (const name of neededSubjects(parts)) {
      if (!hasPeers && PEERS.includes(name)) continue;
      if (!hasGo && name === 'go') continue;
      const subject = await attempt(bench, name, () => startSubject(specOf(name, options), settings));
      if (subject !== null) subjects.set(name, subject);
    }
    return { machine, ...(await runParts(bench, parts)) };
  } finally {
    load.close();
    await tearDown([...subjects.values()], dataset, progress);
    await rm(logDir, { recursive: true, force: true });
  }
}

function specOf(name: SubjectName, { profileDir }: Options) {
  const spec = SUBJECTS[name];
  if (name !== 'gateway' || profileDir === null) return spec;
  return {
    ...spec,
    nodeOptions: [
      '--cpu-prof',
      `--cpu-prof-dir=${fileURLToPath(new URL(profileDir, `file://${process.cwd()}/`))}`,
    ],
  };
}

function neededSubjects(parts: ReadonlySet<string>): SubjectName[] {
  const timed = WORKLOADS.filter(({ part }) => parts.has(part)).flatMap(({ subjects }) => subjects);
  const all = parts.has('e') ? (Object.keys(SUBJECTS) as SubjectName[]) : [];
  const gateway: SubjectName[] = ['f', 'visits', 'filters'].some((part) => parts.has(part))
    ? ['gateway']
    : [];
  const creators = [...(parts.has('h') ? CREATORS : []), ...(parts.has('shop') ? ORDER_CREATORS : [])];
  const needed = new Set([...timed, ...all, ...gateway, ...creators]);
  return (Object.keys(SUBJECTS) as SubjectName[]).filter((name) => needed.has(name));
}

async function runParts(bench: Bench, parts: ReadonlySet<string>): Promise<Omit<Result, 'machine'>> {
  const measurements = await measure(bench, parts);
  const halfLoad = parts.has('a') ? await measureHalfLoad(bench, measurements) : null;
  const tokens = parts.has('a') ? await measureTokenOverhead(bench) : null;
  const deep = parts.has('a') ? await measureDeepPage(bench) : null;
  const refusals = parts.has('c') ? await measureRefusals(bench) : null;
  const statements = parts.has('d') ? await countStatements(bench, 'd') : null;
  const shopStatements = parts.has('shop') ? await countStatements(bench, 'shop') : null;
  const walks = parts.has('e') ? await measureWalks(bench) : [];
  const removals = parts.has('f') ? await measureRemovals(bench) : [];
  const creates = parts.has('h') ? await measureCreates(bench) : null;
  const orders = parts.has('shop') ? await measureOrderCreates(bench) : null;
  const visits = parts.has('visits') ? await measureVisits(bench) : [];
  const filters = parts.has('filters') ? await measureFilters(bench) : null;
  const memory = parts.has('g') ? await measureMemory(bench) : null;
  // These two come last, and alone: a gateway would deliver what another one is to, and the database is stopped for the starts.
  if (parts.has('i') || parts.has('g')) await stopAll(bench);
  const webhooks = parts.has('i') ? await measureWebhooks(bench) : null;
  const starts = parts.has('g') ? await measureStarts(bench) : null;
  const pages = [ratioToLimit(measurements, 'rest_first'), ratioToLimit(measurements, 'rest_random')];
  const measured = pages.filter((value) => value !== null);
  return {
    ratios: {
      rest_page_vs_limit: measured.length === 0 ? null : Math.min(...measured),
      rest_page_100_vs_limit: ratioToLimit(measurements, 'rest_100'),
      rest_page_cpu_vs_go: cpuRatio(measurements, 'rest_random', 'gateway', 'go'),
      rest_page_half_load: halfLoad?.ratio ?? null,
      graphql_cpu_vs_go: cpuRatio(measurements, 'graphql', 'gateway', 'go'),
      graphql_vs_limit: ratioToLimit(measurements, 'graphql'),
      graphql_vs_postgraphile: ratio(measurements, 'graphql', 'postgraphile'),
      graphql_vs_stock: ratio(measurements, 'graphql', 'stock'),
      nested_vs_postgraphile: ratio(measurements, 'nested', 'postgraphile'),
      shop_page_vs_postgraphile: ratio(measurements, 'shop_graphql', 'postgraphile'),
      shop_page_vs_stock: ratio(measurements, 'shop_graphql', 'stock'),
      deep_page_vs_first: deep?.ratio ?? null,
      refused_vs_answered: refusals?.ratio ?? null,
      token_overhead: tokens?.overhead ?? null,
      memory_growth: memory?.growth ?? null,
      create_vs_limit: creates?.ratioTo('limit-json') ?? null,
      create_vs_postgraphile: creates?.ratioTo('postgraphile') ?? null,
      create_vs_stock: creates?.ratioTo('stock') ?? null,
      order_vs_limit: orders?.ratio ?? null,
      filtered_page_vs_plain: filters?.ratio ?? null,
      deliveries_vs_loop: webhooks?.vsLoop ?? null,
      create_with_events: webhooks?.withEvents ?? null,
      first_attempt_p99_ms: webhooks?.firstAttemptP99Ms ?? null,
    },
    nested_statements: statements?.most ?? null,
    shop_page_statements: shopStatements?.most ?? null,
    start_seconds: { embedded: starts?.embedded ?? null, database_url: starts?.databaseUrl ?? null },
    rows: [
      ...toRows(measurements),
      ...(halfLoad?.rows ?? []),
      ...(tokens?.rows ?? []),
      ...(deep?.rows ?? []),
      ...(refusals?.rows ?? []),
      ...(statements?.rows ?? []),
      ...(shopStatements?.rows ?? []),
      ...walks,
      ...removals,
      ...(creates?.rows ?? []),
      ...(orders?.rows ?? []),
      ...visits,
      ...(filters?.rows ?? []),
      ...(webhooks?.rows ?? []),
      ...(memory?.rows ?? []),
      ...(starts?.rows ?? []),
    ],
  };
}

async function stopAll({ subjects }: Bench): Promise<void> {
  await Promise.all([...subjects.values()].map((subject) => subject.stop()));
}

async function tearDown(subjects: Subject[], dataset: Dataset, { say }: Progress): Promise<void> {
  await Promise.allSettled(subjects.map((subject) => subject.stop()));
  await dataset.close().catch((error: unknown) => say(`!! The database did not stop: ${error}`));
}
