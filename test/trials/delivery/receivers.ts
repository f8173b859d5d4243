// Fifty receivers of webhooks on one port: what each has seen, and what it has taken.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Kind {
  readonly name: 'good' | 'slow' | 'random' | 'dead' | 'hanging';
  /** It takes every delivery at the first attempt. */
  readonly takesAll: boolean;
}

/** In every ten receivers. */
export const KINDS: readonly Kind[] = [
  ...Array<Kind>(5).fill({ name: 'good', takesAll: true }),
  { name: 'slow', takesAll: true },
  ...Array<Kind>(2).fill({ name: 'random', takesAll: false }),
  { name: 'dead', takesAll: false },
  { name: 'hanging', takesAll: false },
];

const COUNT = 50;
const SLOW_MS = 300;
const FAILING_SHARE = 0.2;

interface Receiver {
  readonly kind: Kind['name'];
  readonly url: string;
  secret: string;
  /** The ids of the events, and how often each was sent; and how often it was taken. */
  readonly seen: Map<string, number>;
  readonly taken: Map<string, number>;
}

export interface Receivers {
  readonly all: readonly Receiver[];
  /** How many deliveries were signed wrongly. */
  readonly wrong: number;
  total(): number;
  /** Of first arrivals at good receivers: milliseconds since the event. */
  latencies(): readonly number[];
  close(): void;
}

/** Starts them all on loopback. */
export async function startReceivers(): Promise<Receivers> {
  const latencies: number[] = [];
  const result = { wrong: 0 };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = createTcpServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const deadPort = (closed.address() as AddressInfo).port;
  closed.close();
  const all = Array.from({ length: COUNT }, (_, index): Receiver => {
    const { name } = KINDS[index % KINDS.length] as Kind;
    const url = `http://127.0.0.1:${name === 'dead' ? deadPort : port}/${index}`;
    return { kind: name, url, secret: '', seen: new Map(), taken: new Map() };
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receiver = all[Number(request.url?.slice(1))];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (receiver === undefined) return void response.writeHead(404).end();
    const { event_id: id, created_at: at } = JSON.parse(body.toString()) as Record<
      'event_id' | 'created_at',
      string
    >;
    if (!isSigned(request, body, receiver.secret)) result.wrong++;
    const isFirst = !receiver.seen.has(id);
    receiver.seen.set(id, (receiver.seen.get(id) ?? 0) + 1);
    if (receiver.kind === 'hanging') return void response.writeHead(200).write('half');
    if (receiver.kind === 'random' && Math.random() < FAILING_SHARE)
      return void response.writeHead(500).end();
    if (receiver.kind === 'slow') await sleep(SLOW_MS);
    if (receiver.kind === 'good' && isFirst) latencies.push(Date.now() - Date.parse(at));
    receiver.taken.set(id, (receiver.taken.get(id) ?? 0) + 1);
    response.writeHead(200).end('ok');
  }

  return {
    all,
    get wrong() {
      return result.wrong;
    },
    total: () => all.reduce((total, { taken }) => total + taken.size, 0),
    latencies: () => latencies,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string): boolean {
  const at = headers['x-webhook-clickfunnels-timestamp'];
  const expected = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
  return headers['x-webhook-clickfunnels-signature'] === expected;
}
