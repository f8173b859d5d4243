// Connections whose last request was shed. They are not read until it is their turn, and a bounded number has it at a time: refusing
// costs processor time too, and clients that come back at once, however many, must not use up what answers the others.
import type { Socket } from 'node:net';

export interface WaitingConnections {
  /** Puts a connection last. It is not read any more once what is under way in this turn of the event loop is done. */
  add(socket: Socket): void;
  /** Forgets a closed connection. */
  remove(socket: Socket): void;
  /** Reads the first ones again. @param room how many requests could be begun */
  next(room: number): void;
}

/** How many connections are read again at a look (load-shedding.ts) though there is no room: below 1,000 refusals a second in all. */
const AT_A_LOOK = 16;

/** Holds nobody; no more than there are connections. */
export function createWaitingConnections(): WaitingConnections {
  /** In the order in which they came. */
  const waiting = new Set<Socket>();
  let added: Socket[] = [];

  function pause(): void {
    for (const socket of added) {
      if (socket.destroyed) continue;
      socket.pause();
      waiting.add(socket);
    }
    added = [];
  }

  return {
    add(socket) {
      // At its end a request resumes its connection: only what comes after that holds.
      if (added.length === 0) setImmediate(pause);
      added.push(socket);
    },
    remove: (socket) => void waiting.delete(socket),
    next(room) {
      let left = Math.max(AT_A_LOOK, room);
      for (const socket of waiting) {
        if (left-- === 0) return;
        waiting.delete(socket);
        socket.resume();
      }
    },
  };
}
