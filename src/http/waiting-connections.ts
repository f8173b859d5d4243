// Pauses connections whose last request was shed, and resumes a bounded number of them at a time. Refusing requests costs processor time
// too, so clients that retry at once must not use up the time for answering others.
import type { Socket } from 'node:net';

export interface WaitingConnections {
  /** Adds a connection at the end. It is paused at the end of this turn of the event loop. */
  add(socket: Socket): void;
  /** Forgets a closed connection. */
  remove(socket: Socket): void;
  /** Whether a connection is paused. It may seem idle and yet have sent a request that was not read. */
  has(socket: Socket): boolean;
  /** Resumes the first ones. @param room how many requests could be started. @returns whether others still wait */
  next(room: number): boolean;
}

/** How many connections each check (load-shedding.ts) resumes although there is no room: less than 1,000 refusals per second. */
const AT_A_LOOK = 16;

/** Holds at most as many sockets as there are connections. */
export function createWaitingConnections(): WaitingConnections {
  /** In order of arrival. */
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
      // node:http resumes the connection at the end of a request, so pause it only afterwards.
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
        // The idle timeout did not apply while it was paused (node-adapter.ts): restart it.
        socket.setTimeout(socket.timeout ?? 0);
      }
      return false;
    },
  };
}
