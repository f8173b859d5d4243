// The requests of one connection in their order, with their responses.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '../errors.ts';
import { clientDisconnected, type Peer } from './exchange.ts';

/** A request with its response. */
export interface HttpMessages {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly peer: Peer;
  /** The request that arrived behind it on the connection, before its own response was sent. */
  next: HttpMessages | null;
  /** It is its turn: the answers before its own have been sent. */
  begun: boolean;
  /** Why it is refused when its turn comes: the rest of it could not be read. */
  refusal: AppError | null;
}

/** The requests of a connection in their order, most often one. */
export interface Connection {
  /** The first whose response may not have been sent completely. */
  oldest: HttpMessages | null;
  latest: HttpMessages | null;
  /** The one that is begun. */
  current: HttpMessages | null;
  /** How many wait for the answers before theirs. */
  waiting: number;
  /** Of a trusted proxy: its clients are told apart by what it says of them. */
  readonly isProxy: boolean;
}

/** Adds a request, and drops those in front whose responses have been sent. Each is dropped once: linear, however many are pipelined. */
export function addTo(connection: Connection, messages: HttpMessages): void {
  while (connection.oldest?.outgoing.writableFinished) {
    const { next } = connection.oldest;
    // What the garbage collector has not found yet must not keep those behind it.
    connection.oldest.next = null;
    connection.oldest = next;
  }
  connection.oldest ??= messages;
  if (connection.latest !== null && connection.oldest !== messages) connection.latest.next = messages;
  connection.latest = messages;
}

/** Ends the requests whose responses nobody will read. */
export function abortUnsent({ oldest }: Connection): void {
  for (let messages = oldest; messages !== null; messages = messages.next)
    if (!messages.outgoing.writableFinished) messages.peer.abort?.(clientDisconnected());
}
