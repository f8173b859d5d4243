// The requests of one connection in order, with their responses.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '../errors.ts';
import { clientDisconnected, type Peer } from './exchange.ts';

/** A request with its response. */
export interface HttpMessages {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly peer: Peer;
  /** The next pipelined request of the connection. */
  next: HttpMessages | null;
  /** Whether its turn has come: all responses before its own have been sent. */
  begun: boolean;
  /** The error to send when its turn comes, because the rest of it could not be read. */
  refusal: AppError | null;
}

/** The requests of a connection in order, usually one. */
export interface Connection {
  /** The first request whose response may not have been sent completely. */
  oldest: HttpMessages | null;
  latest: HttpMessages | null;
  /** The request whose turn it is. */
  current: HttpMessages | null;
  /** The number of requests that wait for earlier responses. */
  waiting: number;
  /** Whether a trusted proxy opened it. Its clients are distinguished by their forwarded addresses. */
  readonly isProxy: boolean;
}

/** Adds a request, and drops earlier ones whose responses have been sent. Linear in total, however many are pipelined. */
export function addTo(connection: Connection, messages: HttpMessages): void {
  while (connection.oldest?.outgoing.writableFinished) {
    const { next } = connection.oldest;
    // A dropped request must not keep later ones in memory until it is garbage-collected.
    connection.oldest.next = null;
    connection.oldest = next;
  }
  connection.oldest ??= messages;
  if (connection.latest !== null && connection.oldest !== messages) connection.latest.next = messages;
  connection.latest = messages;
}

/** Aborts the requests whose responses can no longer be sent. */
export function abortUnsent({ oldest }: Connection): void {
  for (let messages = oldest; messages !== null; messages = messages.next)
    if (!messages.outgoing.writableFinished) messages.peer.abort?.(clientDisconnected());
}
