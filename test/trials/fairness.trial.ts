// Twenty-four connections of one key, which ask for what takes long, and the pages of another team at another address beside them.
//
// What is measured is the processor time of the gateway's main thread while a page is waited for: neighbours on the machine do not count.
// `npm run trial -- fairness [seconds] [folder]`; the folder of another copy of the project is measured in its place.
import { Agent } from 'node:http';
import { type GatewayProcess, startGateway } from './gateway-process.ts';
import { closeConnections, mainThreadMs, prepare, send } from './points/fixtures.ts';
import { type Fixtures, KINDS } from './points/kinds.ts';
import { say } from './say.ts';
import { quantile, report } from './test-bed.ts';

const [seconds = '5', folder] = process.argv.slice(3);
const CONNECTIONS = 24;
/** Of work that was done before a page was answered. */
const MAX_MEDIAN_MS = 60;
const NOISE = [
  'GraphQL: 90 aliases with refused cursors',
  'GraphQL: 100 look-ups by e-mail',
  'GraphQL: 260 kB of variables',
  'REST: a page of 6 MB, gzip',
  'GraphQL: nodes of 6 MB',
];

/** How long the gateway worked until it had answered pages of another team, its own work included, while a kind of request is sent over all connections, or none is. */
async function pagesBeside(
  gateway: GatewayProcess,
  fixtures: Fixtures,
  quietKey: string,
  name: string | null,
): Promise<{ times: number[]; noise: number }> {
  const { origin } = gateway;
  // Made once: this process is to read what the other team gets at once.
  const sending = KINDS.find((one) => one.name === name)?.send(fixtures, 0);
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  let isOver = false;
  let noise = 0;
  const all = agents.map(async (agent) => {
    while (!isOver && sending !== undefined) {
      await send(origin, sending, agent);
      noise += 1;
    }
  });
  const quiet = new Agent({ keepAlive: true, maxSockets: 1, localAddress: '127.0.0.2' });
  const times: number[] = [];
  const endsAt = performance.now() + Number(seconds) * 1_000;
  // What they begin with is not what they go on with.
  while (performance.now() < endsAt) {
    const before = await mainThreadMs(gateway);
    const page = { path: '/api/v2/teams', headers: { Authorization: `Bearer ${quietKey}` } };
    const { status } = await send(origin, page, quiet);
    if (status !== 200) throw new Error(`The other team got ${status}.`);
    times.push((await mainThreadMs(gateway)) - before);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  isOver = true;
  await Promise.all(all);
  for (const agent of [...agents, quiet]) agent.destroy();
  return { times, noise };
}

const gateway = await startGateway({ JOBS: 'off', RATE_LIMIT_KEY: '0', RATE_LIMIT_TEAM: '0' }, folder);
try {
  const fixtures = await prepare(gateway);
  const quietKey = await gateway.keyOfNewTeam('Quiet');
  for (const name of [null, ...NOISE]) {
    const { times, noise } = await pagesBeside(gateway, fixtures, quietKey, name);
    const [median, high] = [quantile(times, 0.5), quantile(times, 0.95)];
    const figures = `the other team's pages: median ${median} ms, p95 ${high} ms (${times.length})`;
    if (name === null) say(`alone: ${figures}`);
    else report(`beside ${noise} x ${name}: ${figures}`, median <= MAX_MEDIAN_MS);
  }
} finally {
  closeConnections();
  await gateway.stop();
}
