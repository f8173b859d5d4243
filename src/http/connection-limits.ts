// How many connections there may be, in all and from one address, and how slowly their answers may be read. What clients leave unread is
// bounded for all of them together.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isTrustedProxy } from '../auth/hosts.ts';
import type { Config } from '../config/config.ts';
import { toNetwork } from '../services/throttle.ts';

/** An address may have a tenth of all connections, and never more than are still free: there is room for the next address. */
const SHARE_OF_ADDRESS = 10;
const LOOK_MS = 250;
/** A client that has left bytes unread so long must have taken so many a second in that time. */
const WINDOW_MS = 10_000;
const MIN_BYTES_PER_SECOND = 4_096;
/** Bytes in this process that have not been taken, of all connections. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Since when something of a connection's has been unread, and what it had taken by then. */
interface Unread {
  since: number;
  taken: number;
}

/** Enforces the limits on a server from its first connection until it is closed. */
export function limitConnections(http: Server, config: Config): void {
  const { maxConnections } = config.limits;
  const counts = new Map<string, number>();
  const open = new Set<Socket>();
  const unread = new Map<Socket, Unread>();
  // What is above it is closed before anything is made for it.
  http.maxConnections = maxConnections;

  http.on('connection', (socket: Socket) => {
    const address = toNetwork(socket.remoteAddress ?? '');
    // A proxy has the connections of all its clients.
    const isProxy = isTrustedProxy(config, socket.remoteAddress ?? '');
    const own = counts.get(address) ?? 0;
    const allowed = Math.min(Math.ceil(maxConnections / SHARE_OF_ADDRESS), maxConnections - open.size);
    if (!isProxy && own >= allowed) {
      socket.destroy();
      return;
    }
    open.add(socket);
    counts.set(address, own + 1);
    socket.once('close', () => {
      open.delete(socket);
      unread.delete(socket);
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  });
  const timer = setInterval(() => endSlowReaders(open, unread, performance.now()), LOOK_MS).unref();
  http.once('close', () => clearInterval(timer));
}

/**
 * Ends the connections that read too slowly, and those with most unread while all together have too much.
 * @param open all connections; @param unread what is known of those with something unread, which it keeps; @param now milliseconds
 */
export function endSlowReaders(open: ReadonlySet<Socket>, unread: Map<Socket, Unread>, now: number): void {
  let total = 0;
  for (const socket of open) {
    const { writableLength, bytesWritten } = socket;
    if (writableLength === 0) {
      unread.delete(socket);
      continue;
    }
    total += writableLength;
    const taken = bytesWritten - writableLength;
    const state = unread.get(socket);
    if (state === undefined) unread.set(socket, { since: now, taken });
    else if (now - state.since >= WINDOW_MS) {
      const rate = (taken - state.taken) / ((now - state.since) / 1_000);
      // A reset, so that the kernel drops what it has buffered, too.
      if (rate < MIN_BYTES_PER_SECOND) socket.resetAndDestroy();
      Object.assign(state, { since: now, taken });
    }
  }
  if (total <= MAX_UNREAD_BYTES) return;
  for (const socket of [...unread.keys()].sort((a, b) => b.writableLength - a.writableLength)) {
    total -= socket.writableLength;
    socket.resetAndDestroy();
    if (total <= MAX_UNREAD_BYTES) return;
  }
}
