// How many SQL statements a request takes, counted on the wire between a server and PostgreSQL, so that no driver and no
// pool can hide one: a relay that reads the frontend's messages (PostgreSQL manual, "Message Formats").
import { connect, createServer, type Socket } from 'node:net';
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import type { Manifest } from './dataset.ts';
import { DOCUMENTS } from './documents.ts';
import { graphqlRequest } from './requests.ts';
import { startSubject } from './subject.ts';
import { SUBJECTS, type SubjectName } from './subjects.ts';
import { ask, ordersRequest } from './workloads.ts';

/** Caches are full, statements prepared. */
const WARM_UP_REQUESTS = 3;
/** What a server does beside the request (leases, partitions, queues) can only add: the fewest of these count. */
const REQUESTS = 9;

/** A request whose statements are counted, at several widths. */
interface Counted {
  readonly part: 'd' | 'shop';
  readonly subjects: readonly SubjectName[];
  /** What is asked for, and what it is called. */
  readonly widths: readonly { readonly name: string; request(subject: SubjectName, of: Manifest): string }[];
}

/** Workspaces and funnels of each. */
const NESTED_WIDTHS = [
  [1, 1],
  [10, 10],
  [40, 12],
] as const;

const COUNTED: readonly Counted[] = [
  {
    part: 'd',
    subjects: ['gateway', 'postgraphile', 'stock', 'mercurius'],
    widths: NESTED_WIDTHS.map(([workspaces, funnels]) => ({
      name: `${workspaces} x ${funnels}`,
      request(subject, { teamId, token }) {
        const document = DOCUMENTS[subject].nested
          .replace('first: 10, after', `first: ${workspaces}, after`)
          .replace('first: 10)', `first: ${funnels})`);
        return graphqlRequest(document, { team: teamId, after: null }, token);
      },
    })),
  },
  {
    part: 'shop',
    subjects: ['gateway', 'postgraphile', 'stock'],
    widths: [1, 20, 100].map((orders) => ({
      name: `${orders} ${orders === 1 ? 'order' : 'orders'}`,
      request: (subject, manifest) => ordersRequest(subject, manifest, null, orders),
    })),
  },
];

export interface StatementResult {
  /** Of the gateway, at the width that takes the most. */
  readonly most: number | null;
  readonly rows: Row[];
}

/** Counts the statements of a part's request. */
export async function countStatements(bench: Bench, part: Counted['part']): Promise<StatementResult> {
  const { progress, dataset } = bench;
  const rows: Row[] = [];
  let most: number | null = null;
  const { subjects = [], widths = [] } = COUNTED.find((counted) => counted.part === part) ?? {};
  for (const name of subjects) {
    if (!bench.subjects.has(name)) continue;
    progress.say(`(${part}) SQL statements a request: ${name}`);
    const counts = await attempt(bench, `${name}, counting statements`, async () => {
      const relay = await startRelay(dataset.url);
      try {
        return await countEach(bench, name, relay, widths);
      } finally {
        await relay.close();
      }
    });
    if (counts === null) continue;
    if (name === 'gateway') most = Math.max(...counts);
    const note = widths.map((width, at) => `${width.name}: ${counts[at]}`).join(', ');
    rows.push(plainRow({ part, workload: `(${part}) SQL statements a request`, subject: name, note }));
  }
  return { most, rows };
}

async function countEach(
  bench: Bench,
  name: SubjectName,
  relay: Relay,
  widths: Counted['widths'],
): Promise<number[]> {
  const settings = { ...bench.settings, databaseUrl: relay.url };
  const subject = await startSubject({ ...SUBJECTS[name], name: `${name}-counted` }, settings);
  try {
    const counts: number[] = [];
    for (const width of widths) {
      const request = width.request(name, bench.dataset.manifest);
      const each: number[] = [];
      for (let i = -WARM_UP_REQUESTS; i < REQUESTS; i++) {
        const before = relay.statements();
        const { status, body } = await ask(subject, request);
        if (status !== 200 || body.includes('"errors"'))
          throw new Error(`status ${status}: ${body.slice(0, 200)}`);
        if (i >= 0) each.push(relay.statements() - before);
      }
      counts.push(Math.min(...each));
    }
    return counts;
  } finally {
    await subject.stop();
  }
}

interface Relay {
  /** A connection string that leads through the relay. */
  readonly url: string;
  /** Statements executed so far over all connections. */
  statements(): number;
  close(): Promise<void>;
}

async function startRelay(databaseUrl: string): Promise<Relay> {
  let statements = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectTo(databaseUrl);
    const count = createCounter(() => statements++);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy();
          upstream.destroy();
          sockets.delete(socket);
        });
    }
    client.on('data', (data) => {
      count(data);
      upstream.write(data);
    });
    upstream.on('data', (data) => client.write(data));
  });
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.search = '?sslmode=disable';
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return {
    url: url.href,
    statements: () => statements,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The embedded server listens on a socket in the folder that the parameter `host` names, on Windows on a port. */
function connectTo(databaseUrl: string): Socket {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  const port = url.searchParams.get('port') ?? url.port;
  return folder?.startsWith('/')
    ? connect(`${folder}/.s.PGSQL.${port}`)
    : connect(Number(port), url.hostname);
}

const EXECUTE = 'E'.charCodeAt(0);
const SIMPLE_QUERY = 'Q'.charCodeAt(0);

/** Reads one connection's messages as they come in pieces. The first one, the start-up, has no type. */
function createCounter(onStatement: () => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let started = false;
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    for (;;) {
      const typeBytes = started ? 1 : 0;
      if (rest.length < typeBytes + 4) return;
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) return;
      const type = rest[0];
      if (started && (type === EXECUTE || type === SIMPLE_QUERY)) onStatement();
      started = true;
      rest = rest.subarray(length);
    }
  };
}
