// Requests that are meant to do harm: what they cost everybody else, and what they leave behind in memory.
//
// Each is sent many times at once to a gateway as it is shipped, but with no rate limit for the one address that they come from: what
// stands behind it has to hold when there are many. A probe asks for /healthz all the while; memory is read before,
// at its highest, and after it has settled.
import { connect } from 'node:net';
import { type GatewayProcess, settle, startGateway, startProbe } from './gateway-process.ts';
import { say } from './say.ts';

/** What the issue of each asks for: nobody else waits longer, and memory comes back to so much. */
const MAX_WAIT_MS = 250;
const MAX_LEFT = 1.3;

interface Attack {
  readonly name: string;
  /** Whether it needs no credentials. Who has some may keep others waiting a little longer. */
  readonly isAnonymous: boolean;
  readonly times: number;
  readonly atOnce: number;
  send(gateway: GatewayProcess, i: number): Promise<{ status: number; bytes: number }>;
}

/** @param times how often it is sent, so many at once */
const attack =
  (isAnonymous: boolean) =>
  (name: string, times: number, atOnce: number, send: Attack['send']): Attack => ({
    ...{ name, isAnonymous, times, atOnce, send },
  });
const anonymous = attack(true);
const owner = attack(false);

const JSON_TYPE = { 'Content-Type': 'application/json' };

function graphql(query: (i: number) => string, variables: object = {}) {
  return (gateway: GatewayProcess, i: number) =>
    gateway.send('/graphql', { body: JSON.stringify({ query: query(i), variables }), headers: JSON_TYPE });
}

function asOwner(query: (i: number) => string, variables: object = {}) {
  return (gateway: GatewayProcess, i: number) =>
    gateway.send('/graphql', {
      body: JSON.stringify({ query: query(i), variables }),
      headers: { ...JSON_TYPE, Authorization: `Bearer ${gateway.key}` },
    });
}

const many = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');
const fields = (count: number, i: number) => many(count, (j) => `a${i}_${j}: kind`);

const ATTACKS: readonly Attack[] = [
  anonymous(
    'mistakes behind very many lines',
    100,
    4,
    graphql(() => `${'\n'.repeat(97_000)}{ ${many(240, (j) => `x${j}`)} }`),
  ),
  anonymous(
    'a name of 90,000 characters in mistakes',
    100,
    4,
    graphql(
      () => `query ${'Q'.repeat(90_000)} { __type(name: "x" a: [${many(119, (j) => `$v${j}`)}]) { name } }`,
    ),
  ),
  anonymous(
    'a value of 90,000 characters in mistakes',
    100,
    4,
    graphql(
      () =>
        `query ($a: RevokeApiKeyInput = { z: "${'q'.repeat(90_000)}" ${many(150, (j) => `f${j}: 1`)} }) { __typename }`,
    ),
  ),
  anonymous('a form of 131,000 members', 100, 4, (gateway) =>
    gateway.send('/graphql', {
      body: 'a&'.repeat(131_000),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  ),
  owner(
    'long aliases on 2,400 rows',
    64,
    64,
    asOwner(
      () =>
        `{ workspace(by: { subdomain: "acme" }) { ${many(24, (j) => `p${j}: contacts(first: 100) { ...F }`)} } } fragment F on ContactConnection { nodes { ${many(10, (j) => `${'a'.repeat(120)}${j}: databaseId`)} } }`,
    ),
  ),
  anonymous(
    'escaped quotes',
    200,
    4,
    graphql(() => '\\"'.repeat(65_000)),
  ),
  anonymous(
    'a text that does not end',
    200,
    4,
    graphql(() => `{ a(b: "${'\\"'.repeat(49_000)}`),
  ),
  anonymous(
    'documents of 200 kB, broken',
    1_100,
    4,
    graphql((i) => `{ ${fields(3_000, i).padEnd(200_000)} `),
  ),
  anonymous(
    'documents of 90 kB, broken',
    1_100,
    4,
    graphql((i) => `{ viewer { ${fields(1_300, i)} ${'x'.repeat(50_000)}`),
  ),
  anonymous(
    'documents of 4,000 tokens about data',
    500,
    4,
    graphql((i) => `{ viewer { ${fields(1_300, i)} } }`),
  ),
  anonymous(
    'documents of 500 tokens about the schema',
    500,
    4,
    graphql(() => `{ __schema { ${'types { fields { name } } '.repeat(68)} } }`),
  ),
  anonymous(
    'fragments in fragments',
    300,
    4,
    graphql(
      () =>
        `{ __schema { ...F0 } } ${many(33, (j) => `fragment F${j} on __Schema { queryType { name } ...F${j + 1} ...F${j + 2} }`)} fragment F33 on __Schema { queryType { name } } fragment F34 on __Schema { queryType { name } }`,
    ),
  ),
  anonymous(
    'aliases of the schema',
    300,
    4,
    graphql(() => `{ ${many(80, (j) => `a${j}: __schema { types { name description } }`)} }`),
  ),
  anonymous(
    'the whole schema',
    300,
    4,
    graphql(
      () =>
        '{ __schema { types { name description fields { name description args { name description type { name } } type { name } } } } }',
    ),
  ),
  anonymous(
    '60,000 variables',
    100,
    4,
    graphql(() => 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: Array.from({ length: 40_000 }, () => null),
    }),
  ),
  anonymous('/oauth/authorize', 3_000, 4, (gateway, i) =>
    gateway.send(
      `/oauth/authorize?response_type=code&client_id=x${i}&redirect_uri=https://x.example/&state=${'s'.repeat(10_000)}`,
      { headers: atHome(gateway) },
    ),
  ),
  anonymous('unknown hosts', 3_000, 32, (gateway, i) =>
    gateway.send('/api/v2/teams', { headers: { Host: `h${i}.example.com` } }),
  ),
  anonymous('unknown keys', 3_000, 32, (gateway, i) =>
    gateway.send('/api/v2/teams', {
      headers: { Authorization: `Bearer fgw_${String(i).padStart(49, '0')}` },
    }),
  ),
  anonymous('requests that are no HTTP', 2_000, 4, (gateway) =>
    rawRequest(gateway, `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(10)}\r\n\r\n`),
  ),
  owner(
    '170 aliases of edges',
    64,
    64,
    asOwner(
      () =>
        `{ workspace(by: { subdomain: "acme" }) { contacts(first: 100) { ${many(170, (j) => `e${j}: edges { ${many(10, (k) => `c${k}: cursor`)} }`)} } } }`,
    ),
  ),
  owner(
    '50 aliases of pages of 100',
    64,
    64,
    asOwner(
      () =>
        `{ workspace(by: { subdomain: "acme" }) { ${many(50, (j) => `p${j}: contacts(first: 100) { nodes { id emailAddress firstName lastName phoneNumber createdAt updatedAt uuid } }`)} } }`,
    ),
  ),
  owner(
    'the same, never compiled',
    64,
    64,
    asOwner(
      () =>
        `{ workspace(by: { subdomain: "acme" }) { ${many(50, (j) => `p${j}: contacts(first: 100) @include(if: true) { nodes { id emailAddress firstName lastName phoneNumber createdAt updatedAt uuid } }`)} } }`,
    ),
  ),
  owner(
    'documents of 13 kB, all different',
    1_100,
    4,
    asOwner((i) => `{ viewer { ${fields(1_000, i)} } }`),
  ),
];

/** What the gateway does all day. */
const ORDINARY: readonly Pick<Attack, 'send'>[] = [
  {
    send: (gateway) =>
      gateway.send('/api/v2/workspaces/1/contacts', { headers: { Authorization: `Bearer ${gateway.key}` } }),
  },
  {
    send: asOwner(
      () =>
        '{ workspace(by: { subdomain: "acme" }) { contacts(first: 20) { nodes { id emailAddress } pageInfo { hasNextPage } } } }',
    ),
  },
  { send: graphql(() => '{ __schema { types { name fields { name } } } }') },
  { send: (gateway) => gateway.send('/oauth/jwks', { headers: atHome(gateway) }) },
  { send: (gateway) => gateway.send('/oauth/authorize?client_id=x', { headers: atHome(gateway) }) },
];

/** By the name that has the authorization server. */
function atHome({ origin }: GatewayProcess): Record<string, string> {
  return { Host: `localhost:${new URL(origin).port}` };
}

function rawRequest(gateway: GatewayProcess, text: string): Promise<{ status: number; bytes: number }> {
  const { hostname, port } = new URL(gateway.origin);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.on('data', (data) => {
      answer += data.toString();
    });
    const done = () =>
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), bytes: answer.length });
    socket.on('close', done).on('error', done);
  });
}

const [only] = process.argv.slice(3);
const gateway = await startGateway({ RATE_LIMIT_ADDRESS: '0' });
let failed = 0;
try {
  const probe = await startProbe(`${gateway.origin}/healthz`);
  // Everything that is loaded when it is first needed, and what V8 makes of it.
  for (let i = 0; i < 2_000; i++) for (const { send } of ORDINARY) await send(gateway, i);
  await settle();
  say('attack                                      answers        largest  wait ms  MiB before  most  after');
  for (const attack of ATTACKS) {
    if (only !== undefined && !attack.name.includes(only)) continue;
    failed += await run(attack, probe);
  }
  await probe.stop();
} finally {
  await gateway.stop();
}
say(failed === 0 ? 'Every attack was borne.' : `${failed} attacks did harm.`);
process.exitCode = failed === 0 ? 0 : 1;

/** The memory that is left in ordinary use, in MiB: V8 gives back what it no longer needs while it works, not while it is idle. */
async function memoryInUse(enough: number): Promise<number> {
  let memory = await gateway.memory();
  for (let round = 0; round < 20 && memory > enough; round++) {
    for (let i = 0; i < 100; i++) for (const { send } of ORDINARY) await send(gateway, i);
    memory = await gateway.memory();
  }
  return memory;
}

async function run(attack: Attack, probe: Awaited<ReturnType<typeof startProbe>>): Promise<number> {
  const before = await gateway.memory();
  const statuses = new Map<number, number>();
  let largest = 0;
  let most = before;
  let next = 0;
  await probe.worst();
  await Promise.all(
    Array.from({ length: attack.atOnce }, async () => {
      for (let i = next++; i < attack.times; i = next++) {
        const { status, bytes } = await attack.send(gateway, i + 1_000);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        largest = Math.max(largest, bytes);
        if (i % 10 === 0) most = Math.max(most, await gateway.memory());
      }
    }),
  );
  const wait = await probe.worst();
  await settle();
  const after = await memoryInUse(before * MAX_LEFT);
  const answers = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
  const isHarm = (attack.isAnonymous && wait > MAX_WAIT_MS) || after > before * MAX_LEFT;
  say(
    [
      attack.name.padEnd(43),
      answers.padEnd(14),
      String(largest).padStart(8),
      wait.toFixed(0).padStart(8),
      before.toFixed(0).padStart(11),
      most.toFixed(0).padStart(5),
      after.toFixed(0).padStart(6),
      isHarm ? '  HARM' : '',
    ].join(' '),
  );
  return isHarm ? 1 : 0;
}
