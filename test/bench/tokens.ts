// What an access token costs: the REST page of 20 asked for with an API key and with a signed token, in turns, of one
// and the same gateway.
import { closeApp, createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { App } from '../../src/context.ts';
import { createLogger } from '../../src/output/log.ts';
import { issue, ownClaimsOf, sign } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import { type CpuUse, cpuPerRequest, measureCpuUse } from './cpu-use.ts';
import type { Manifest } from './dataset.ts';
import type { LoadResult } from './load.ts';
import { median, spread } from './stats.ts';
import type { Subject } from './subject.ts';
import { SECRET_KEY } from './subjects.ts';
import { ask, restAtRandom } from './workloads.ts';

const TITLE = '(a) REST, page of 20 contacts at a random position';
const CLIENT_ID = 'bench';
/** Short turns, many of them: the difference that is looked for is small. */
const TURNS_PER_ROUND = 4;
const TURN_OF_A_ROUND = 0.5;

interface Turn extends LoadResult {
  readonly cpu: CpuUse;
}

export interface TokenResult {
  /** By how much fewer pages a second are served than with an API key; 0.1 is a tenth. */
  readonly overhead: number | null;
  readonly rows: Row[];
}

export async function measureTokenOverhead(bench: Bench): Promise<TokenResult> {
  const subject = bench.subjects.get('gateway');
  const nothing: TokenResult = { overhead: null, rows: [] };
  if (subject === undefined) return nothing;
  bench.progress.say('Access token against API key');
  return (await attempt(bench, 'gateway, access token', () => compare(bench, subject))) ?? nothing;
}

async function compare(bench: Bench, subject: Subject): Promise<TokenResult> {
  const { plan, dataset } = bench;
  const token = await makeToken(dataset.url, dataset.manifest, subject.port);
  const key = restAtRandom(dataset.manifest, 20);
  const ways = { key, token: restAtRandom({ ...dataset.manifest, token }, 20) };
  await requireSameAnswers(subject, ways);
  const results = { key: [] as Turn[], token: [] as Turn[] };
  for (let turn = -1; turn < plan.rounds * TURNS_PER_ROUND; turn++) {
    const order = turn % 2 === 0 ? (['key', 'token'] as const) : (['token', 'key'] as const);
    for (const way of order) {
      const seconds = turn < 0 ? plan.warmUpSeconds : plan.roundSeconds * TURN_OF_A_ROUND;
      const result = await run(bench, subject, ways[way], seconds, turn);
      if (turn >= 0) results[way].push(result);
    }
  }
  const ratios = results.token.map(({ requestsPerSecond }, turn) => {
    return requestsPerSecond / (results.key[turn]?.requestsPerSecond ?? Number.NaN);
  });
  const overhead = 1 - median(ratios);
  const note = `${(overhead * 100).toFixed(1)} % fewer than with an API key`;
  return {
    overhead,
    rows: [toRow('API key', results.key, null), toRow('access token', results.token, note)],
  };
}

async function run(
  bench: Bench,
  subject: Subject,
  requests: string[],
  seconds: number,
  turn: number,
): Promise<Turn> {
  const offset = (Math.max(turn, 0) * 137) % requests.length;
  const { connections } = bench.plan;
  const job = { port: subject.port, requests, offset, connections, seconds, sampleEvery: 1_000_000 };
  const { result, cpu } = await measureCpuUse(bench, subject, () => bench.load.run(job));
  const { 200: good = 0 } = result.statuses;
  if (good !== result.count) throw new Error(`not all answers were good: ${JSON.stringify(result.statuses)}`);
  return { ...result, cpu };
}

function toRow(way: string, results: Turn[], note: string | null): Row {
  const speeds = results.map(({ requestsPerSecond }) => requestsPerSecond);
  return plainRow({
    part: 'a',
    workload: `${TITLE}, with an ${way}`,
    subject: 'gateway',
    requests_per_second: median(speeds),
    spread: spread(speeds),
    p50_ms: median(results.map(({ p50 }) => p50)),
    p99_ms: median(results.map(({ p99 }) => p99)),
    ...cpuPerRequest(
      results.map(({ cpu }) => cpu),
      results.reduce((sum, { count }) => sum + count, 0),
    ),
    load_cpu: median(results.map(({ loadCpu }) => loadCpu)),
    note,
  });
}

/** @throws Error when the token leads to other rows than the key */
async function requireSameAnswers(subject: Subject, ways: { key: string[]; token: string[] }): Promise<void> {
  const [byKey, byToken] = await Promise.all(
    [ways.key, ways.token].map(([first = '']) => ask(subject, first)),
  );
  if (byToken?.status !== 200) throw new Error(`status ${byToken?.status}: ${byToken?.body.slice(0, 300)}`);
  if (byToken.body !== byKey?.body) throw new Error('the token leads to other rows than the key');
}

/** A token of a client that acts for the team, as the gateway on that port would issue it. */
async function makeToken(databaseUrl: string, { teamId }: Manifest, port: number): Promise<string> {
  const { config } = parseConfig({ PORT: String(port), LOOKUP_CACHE_MS: '0', ACCESS_TOKEN_TTL: '3600' }, '/');
  const app = createApp(
    config,
    { databaseUrl, secretKeys: () => [SECRET_KEY] },
    { log: createLogger('error') },
  );
  try {
    const client = await benchClient(app, BigInt(teamId));
    const claims = ownClaimsOf(app, client, 'read write');
    const lasting = { ...claims, exp: (claims.exp ?? 0) + config.oauth.accessTokenTtlSeconds };
    await issue(app, lasting, null);
    return await sign(app, lasting);
  } finally {
    await closeApp(app);
  }
}

function benchClient({ store }: App, teamId: bigint) {
  const client = { name: 'Bench', metadata: {}, teamId };
  return prismaOf(store).oauthClient.upsert({
    where: { id: CLIENT_ID },
    create: { id: CLIENT_ID, ...client },
    update: client,
  });
}
