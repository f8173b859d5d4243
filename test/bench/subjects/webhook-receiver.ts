// A receiver of webhooks: answers 200 to everything, on as many ports as there are endpoints, and notes what arrived when. It looks for
// the event and its time where the payload has them: it must cost as little as can be.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import type { Arrivals, ReceiverCommand, ReceiverMessage } from '../webhooks/receiver.ts';

const PORTS = Number(process.argv[2]);
/** Of `{"event_id":"<uuid>",`. */
const [ID_START, ID_END] = [13, 49];
/** Of `"created_at":"2026-01-01T00:00:00.000Z"}`. */
const TIME_LENGTH = 26;

let wanted = 0;
let keys: string[] = [];
let times: string[] = [];
let arrivedAt: number[] = [];
let bytes = 0;

const tell = (message: ReceiverMessage) => process.send?.(message);
const now = () => performance.timeOrigin + performance.now();

function note(endpoint: number, body: Buffer): void {
  keys.push(`${endpoint} ${body.toString('latin1', ID_START, ID_END)}`);
  times.push(body.toString('latin1', body.length - TIME_LENGTH, body.length - 2));
  arrivedAt.push(now());
  bytes += body.length;
  if (arrivedAt.length === wanted) tell('arrived');
}

function arrivals(): Arrivals {
  return {
    keys,
    bytes,
    firstMs: arrivedAt[0] ?? 0,
    lastMs: arrivedAt.at(-1) ?? 0,
    agesMs: arrivedAt.map((at, index) => at - Date.parse(times[index] ?? '')),
  };
}

const listening = Array.from({ length: PORTS }, (_, endpoint) => {
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      note(endpoint, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      response.writeHead(200, { 'Content-Length': 2 });
      response.end('ok');
    });
  });
  return new Promise<number>((done, fail) =>
    server.once('error', fail).listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)),
  );
});

process.on('message', (command: ReceiverCommand) => {
  if (command === 'read') {
    tell(arrivals());
    return;
  }
  wanted = command.expect;
  [keys, times, arrivedAt, bytes] = [[], [], [], 0];
  tell('ready');
});
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole group; the parent says when to end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => process.disconnect?.());
tell({ ports: await Promise.all(listening) });
