// Limits the number of connections, in total and per address, and how slowly clients may read responses. The unread bytes of all clients
// together are bounded.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isTrustedProxy } from '../auth/hosts.ts';
import type { Config } from '../config/config.ts';
import { toNetwork } from '../services/limits/throttle.ts';

/** An address may have at most a tenth of all connections, and at most as many as are still free, so that other addresses can connect. */
const SHARE_OF_ADDRESS = 10;
const CHECK_INTERVAL_MS = 250;
/** A client with unread bytes must read at least this fast, measured over this time. */
const WINDOW_MS = 10_000;
const MIN_BYTES_PER_SECOND = 4_096;
/** The most unread bytes of all connections together in this process. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** The time since which a connection has unread bytes, in milliseconds, and the bytes that it had read by then. */
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
  // Node closes connections above this limit before it allocates anything for them.
  http.maxConnections = maxConnections;

  http.on('connection', (socket: Socket) => {
    const address = toNetwork(socket.remoteAddress ?? '');
    // A trusted proxy is exempt: its connections carry all its clients.
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
      const remaining = (counts.get(address) ?? 1) - 1;
      if (remaining === 0) counts.delete(address);
      else counts.set(address, remaining);
    });
  });
  const timer = setInterval(() => endSlowReaders(open, unread, performance.now()), CHECK_INTERVAL_MS).unref();
  http.once('close', () => clearInterval(timer));
}

/**
 * Ends connections that read too slowly. While all together have too many unread bytes, also ends those with the most.
 * @param open all connections
 * @param unread the state of connections with unread bytes; updated
 * @param now in milliseconds
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
      // A reset, so that the kernel drops its buffered bytes as well.
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
