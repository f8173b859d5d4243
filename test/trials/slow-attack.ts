// Clients that keep connections busy by doing almost nothing, in a process of their own. Whose connection is closed comes again.
// `node slow-attack.ts PORT heads|bodies|answers CONNECTIONS`, until it is ended; prints how many are open, and how many were closed.
import { connect, type Socket } from 'node:net';
import { say } from './say.ts';

const [port, kind, connections] = process.argv.slice(2);
const BEGINNING: Record<string, string> = {
  heads: 'GET /api/v2/teams HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  bodies:
    'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{',
  // A document of some hundred kilobytes, which needs no credentials, asked for again and again, and never read.
  answers: 'GET /api/v2/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(16),
};
const ADDRESSES = 50;
const AT_ONCE = 25;
const INTERVAL_MS = 1_000;
const open = new Set<Socket>();
let closed = 0;
let refused = 0;

function dial(): void {
  const localAddress = `127.0.2.${Math.ceil(Math.random() * ADDRESSES)}`;
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
  open.add(socket);
  socket.on('error', () => {
    refused += 1;
  });
  socket.once('connect', () => {
    socket.write(BEGINNING[kind ?? ''] ?? '');
    if (kind === 'answers') socket.pause();
    else socket.resume();
  });
  socket.once('close', () => {
    open.delete(socket);
    closed += 1;
  });
}

setInterval(() => {
  for (let one = 0; one < AT_ONCE && open.size < Number(connections); one++) dial();
}, 10);
setInterval(() => {
  if (kind !== 'answers')
    for (const socket of open) if (socket.writable && !socket.connecting) socket.write('x');
  say(JSON.stringify({ open: open.size, closed, refused }));
}, INTERVAL_MS);
