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
  {
    name: 'mistakes behind very many lines',
    isAnonymous: true,
    times: 100,
    atOnce: 4,
    send: graphql(() => `${'\n'.repeat(97_000)}{ ${many(240, (j) => `x${j}`)} }`),
  },
  {
    name: 'a name of 90,000 characters in mistakes',
    isAnonymous: true,
    times: 100,
    atOnce: 4,
    send: graphql(
      () => `query ${'Q'.repeat(90_000)} { __type(name: "x" a: [${many(119, (j) => `$v${j}`)}]) { name } }`,
    ),
  },
  {
    name: 'a value of 90,000 characters in mistakes',
    isAnonymous: true,
    times: 100,
    atOnce: 4,
    send: graphql(
      () =>
        `query ($a: RevokeApiKeyInput = { z: "${'q'.repeat(90_000)}" ${many(150, (j) => `f${j}: 1`)} }) { __typename }`,
    ),
  },
  {
    name: 'a form of 131,000 members',
    isAnonymous: true,
    times: 100,
    atOnce: 4,
    send: (gateway) =>
      gateway.send('/graphql', {
        body: 'a&'.repeat(131_000),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      }),
  },
  {
    name: 'long aliases on 2,400 rows',
    isAnonymous: false,
    times: 64,
    atOnce: 64,
    send: asOwner(
      () =>
        `{ workspace(subdomain: "acme") { ${many(24, (j) => `p${j}: contacts(first: 100) { ...F }`)} } } fragment F on ContactConnection { nodes { ${many(10, (j) => `${'a'.repeat(120)}${j}: databaseId`)} } }`,
    ),
  },
  {
    name: 'escaped quotes',
    isAnonymous: true,
    times: 200,
    atOnce: 4,
    send: graphql(() => '\\"'.repeat(65_000)),
  },
  {
    name: 'a text that does not end',
    isAnonymous: true,
    times: 200,
    atOnce: 4,
    send: graphql(() => `{ a(b: "${'\\"'.repeat(49_000)}`),
  },
  {
    name: 'documents of 200 kB, broken',
    isAnonymous: true,
    times: 1_100,
    atOnce: 4,
    send: graphql((i) => `{ ${fields(3_000, i).padEnd(200_000)} `),
  },
  {
    name: 'documents of 90 kB, broken',
    isAnonymous: true,
    times: 1_100,
    atOnce: 4,
    send: graphql((i) => `{ viewer { ${fields(1_300, i)} ${'x'.repeat(50_000)}`),
  },
  {
    name: 'documents of 4,000 tokens about data',
    isAnonymous: true,
    times: 500,
    atOnce: 4,
    send: graphql((i) => `{ viewer { ${fields(1_300, i)} } }`),
  },
  {
    name: 'documents of 500 tokens about the schema',
    isAnonymous: true,
    times: 500,
    atOnce: 4,
    send: graphql(() => `{ __schema { ${'types { fields { name } } '.repeat(68)} } }`),
  },
  {
    name: 'fragments in fragments',
    isAnonymous: true,
    times: 300,
    atOnce: 4,
    send: graphql(
      () =>
        `{ __schema { ...F0 } } ${many(33, (j) => `fragment F${j} on __Schema { queryType { name } ...F${j + 1} ...F${j + 2} }`)} fragment F33 on __Schema { queryType { name } } fragment F34 on __Schema { queryType { name } }`,
    ),
  },
  {
    name: 'aliases of the schema',
    isAnonymous: true,
    times: 300,
    atOnce: 4,
    send: graphql(() => `{ ${many(80, (j) => `a${j}: __schema { types { name description } }`)} }`),
  },
  {
    name: 'the whole schema',
    isAnonymous: true,
    times: 300,
    atOnce: 4,
    send: graphql(
      () =>
        '{ __schema { types { name description fields { name description args { name description type { name } } type { name } } } } }',
    ),
  },
  {
    name: '60,000 variables',
    isAnonymous: true,
    times: 100,
    atOnce: 4,
    send: graphql(() => 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: Array.from({ length: 40_000 }, () => null),
    }),
  },
  {
    name: '/oauth/authorize',
    isAnonymous: true,
    times: 3_000,
    atOnce: 4,
    send: (gateway, i) =>
      gateway.send(
        `/oauth/authorize?response_type=code&client_id=x${i}&redirect_uri=https://x.example/&state=${'s'.repeat(10_000)}`,
        { headers: atHome(gateway) },
      ),
  },
  {
    name: 'unknown hosts',
    isAnonymous: true,
    times: 3_000,
    atOnce: 32,
    send: (gateway, i) => gateway.send('/api/v2/teams', { headers: { Host: `h${i}.example.com` } }),
  },
  {
    name: 'unknown keys',
    isAnonymous: true,
    times: 3_000,
    atOnce: 32,
    send: (gateway, i) =>
      gateway.send('/api/v2/teams', {
        headers: { Authorization: `Bearer fgw_${String(i).padStart(49, '0')}` },
      }),
  },
  {
    name: 'requests that are no HTTP',
    isAnonymous: true,
    times: 2_000,
    atOnce: 4,
    send: (gateway) => rawRequest(gateway, `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(10)}\r\n\r\n`),
  },
  {
    name: '170 aliases of edges',
    isAnonymous: false,
    times: 64,
    atOnce: 64,
    send: asOwner(
      () =>
        `{ workspace(subdomain: "acme") { contacts(first: 100) { ${many(170, (j) => `e${j}: edges { ${many(10, (k) => `c${k}: cursor`)} }`)} } } }`,
    ),
  },
  {
    name: '50 aliases of pages of 100',
    isAnonymous: false,
    times: 64,
    atOnce: 64,
    send: asOwner(
      () =>
        `{ workspace(subdomain: "acme") { ${many(50, (j) => `p${j}: contacts(first: 100) { nodes { id emailAddress firstName lastName phoneNumber createdAt updatedAt uuid } }`)} } }`,
    ),
  },
  {
    name: 'the same, never compiled',
    isAnonymous: false,
    times: 64,
    atOnce: 64,
    send: asOwner(
      () =>
        `{ workspace(subdomain: "acme") { ${many(50, (j) => `p${j}: contacts(first: 100) @include(if: true) { nodes { id emailAddress firstName lastName phoneNumber createdAt updatedAt uuid } }`)} } }`,
    ),
  },
  {
    name: 'documents of 13 kB, all different',
    isAnonymous: false,
    times: 1_100,
    atOnce: 4,
    send: asOwner((i) => `{ viewer { ${fields(1_000, i)} } }`),
  },
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
        '{ workspace(subdomain: "acme") { contacts(first: 20) { nodes { id emailAddress } pageInfo { hasNextPage } } } }',
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
  const after = await gateway.memory();
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
