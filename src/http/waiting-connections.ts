// Connections whose last request was shed. They are not read until it is their turn, and a bounded number has it at a time: refusing
// costs processor time too, and clients that come back at once, however many, must not use up what answers the others.
import type { Socket } from 'node:net';

export interface WaitingConnections {
  /** Puts a connection last. It is not read any more once what is under way in this turn of the event loop is done. */
  add(socket: Socket): void;
  /** Forgets a closed connection. */
  remove(socket: Socket): void;
  /** Whether a connection waits: it may have sent a request that has not been read, however long it seems idle. */
  has(socket: Socket): boolean;
  /** Reads the first ones again. @param room how many requests could be begun. @returns whether others still wait */
  next(room: number): boolean;
}

/** How many connections are read again at a look (load-shedding.ts) though there is no room: below 1,000 refusals a second in all. */
const AT_A_LOOK = 16;

/** Holds nobody; no more than there are connections. */
export function createWaitingConnections(): WaitingConnections {
  /** In the order in which they came. */
  const waiting = new Set<Socket>();
  let added = new Set<Socket>();

  function pause(): void {
    for (const socket of added) {
      if (socket.destroyed) continue;
      socket.pause();
      waiting.add(socket);
    }
    added = new Set();
  }

  return {
    add(socket) {
      // At its end a request resumes its connection: only what comes after that holds.
      if (added.size === 0) setImmediate(pause);
      added.add(socket);
    },
    remove: (socket) => void waiting.delete(socket),
    has: (socket) => waiting.has(socket) || added.has(socket),
    next(room) {
      let left = Math.max(AT_A_LOOK, room);
      for (const socket of waiting) {
        if (left-- === 0) return true;
        waiting.delete(socket);
        socket.resume();
        // While it waited its idle time did not count (node-adapter.ts): it begins anew.
        socket.setTimeout(socket.timeout ?? 0);
      }
      return false;
    },
  };
}
