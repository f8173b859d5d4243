// A load generator in a process of its own, on bare sockets with requests made beforehand, so that it takes as little of the processor
// as it can. Closed: each connection asks again when it has its answer. Open: requests come at a rate, whatever becomes of them.
// `node open-loop.ts PORT closed|open CONNECTIONS SECONDS PER_SECOND PATH TOKEN`; prints its counts as JSON.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './say.ts';

const [port, kind, connections, seconds, perSecond, path, token] = process.argv.slice(2);
const REQUEST = Buffer.from(
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  'latin1',
);
/** An answer that comes later is of no use any more. */
const DEADLINE_MS = 1_000;
const TICK_MS = 5;
/** As many clients: each has an address of its own. */
const ADDRESSES = 20;

/** A connection with one request at a time. */
interface Line {
  readonly socket: Socket;
  askedAt: number;
  /** Bytes of the answer that are missing; -1 before its head has come. */
  missing: number;
  status: string;
}

const counts = { offered: 0, sent: 0, good: 0, late: 0, shed: 0, other: 0, lost: 0, noConnection: 0 };
const times: number[] = [];
const free: Line[] = [];
let open = 0;
let isOver = false;

function dial(onReady: (line: Line) => void): void {
  open += 1;
  const socket = connect({
    port: Number(port),
    host: '127.0.0.1',
    localAddress: `127.0.1.${open % ADDRESSES}`,
  });
  const line: Line = { socket, askedAt: 0, missing: 0, status: '' };
  socket.setNoDelay(true);
  socket.once('connect', () => onReady(line));
  socket.on('error', () => {});
  socket.once('close', () => {
    open -= 1;
    if (line.askedAt > 0) counts.lost += 1;
    line.askedAt = 0;
    const at = free.indexOf(line);
    if (at >= 0) free.splice(at, 1);
    if (kind === 'closed' && !isOver) dial(ask);
  });
  socket.on('data', (bytes) => receive(line, bytes));
}

function ask(line: Line): void {
  counts.sent += 1;
  line.askedAt = performance.now();
  line.missing = -1;
  line.socket.write(REQUEST);
}

function receive(line: Line, bytes: Buffer): void {
  if (line.missing < 0) {
    const head = bytes.toString('latin1', 0, Math.min(bytes.length, 2_048));
    line.status = head.slice(9, 12);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    line.missing = length + head.indexOf('\r\n\r\n') + 4;
  }
  line.missing -= bytes.length;
  if (line.missing > 0) return;
  const ms = performance.now() - line.askedAt;
  line.askedAt = 0;
  if (line.status === '503') counts.shed += 1;
  else if (line.status !== '200') counts.other += 1;
  else if (ms > DEADLINE_MS) counts.late += 1;
  else {
    counts.good += 1;
    times.push(ms);
  }
  if (isOver) return;
  if (kind === 'closed') ask(line);
  else free.push(line);
}

function arrive(): void {
  counts.offered += 1;
  const line = free.pop();
  if (line !== undefined) ask(line);
  else if (open < Number(connections)) dial(ask);
  else counts.noConnection += 1;
}

const startedAt = performance.now();
const elapsed = () => (performance.now() - startedAt) / 1_000;
if (kind === 'closed') for (let one = 0; one < Number(connections); one++) dial(ask);
while (elapsed() < Number(seconds)) {
  await sleep(TICK_MS);
  if (kind === 'open') while (counts.offered < elapsed() * Number(perSecond)) arrive();
}
isOver = true;
const took = elapsed();
times.sort((a, b) => a - b);
const { user, system } = process.cpuUsage();
say(
  JSON.stringify({
    ...counts,
    seconds: took,
    p50: times[Math.floor(times.length * 0.5)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    processorSeconds: (user + system) / 1e6,
  }),
);
process.exit(0);
