// Connects node:http to the server. Bytes that are not a valid HTTP request get the same error responses as requests, in order behind
// the responses to earlier requests on the connection.
import { type Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { AppError } from '../errors.ts';
import type { OpenConnections } from './draining.ts';
import { clientDisconnected, incompleteRequest, type Peer } from './exchange.ts';
import { parseTarget } from './request-target.ts';
import type { Server } from './server.ts';

/** A request with its response. */
interface HttpMessages {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly peer: Peer;
  /** The request that arrived behind it on the connection, before its own response was sent. */
  next: HttpMessages | null;
}

/** The requests of a connection in their order, most often one. */
interface Connection {
  /** The first whose response may not have been sent completely. */
  oldest: HttpMessages | null;
  latest: HttpMessages | null;
}

/** Adds a request, and drops those in front whose responses have been sent. Each is dropped once: linear, however many are pipelined. */
function addTo(connection: Connection, messages: HttpMessages): void {
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
function abortUnsent({ oldest }: Connection): void {
  for (let messages = oldest; messages !== null; messages = messages.next)
    if (!messages.outgoing.writableFinished) messages.peer.abort?.(clientDisconnected());
}

/** Answers the requests of a node:http server. @returns its open connections */
export function handleRequests(http: HttpServer, server: Server): OpenConnections {
  const connections = new Map<Duplex, Connection>();
  const latestOf = (socket: Duplex) => connections.get(socket)?.latest ?? undefined;
  /** Connections that get no response any more: after that to an invalid request, and after one that ended them. */
  const refused = new WeakSet<Duplex>();
  const answer = getRequestListener(
    (request, env) => server.fetch(request, latestOf((env as HttpBindings).incoming.socket)?.peer),
    { overrideGlobalObjects: true },
  );

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    // Bytes behind an invalid request cannot be interpreted; behind an answer that ends the connection nothing is read.
    if (refused.has(socket)) return;
    const peer: Peer = { address: socket.remoteAddress, incoming };
    const connection = connections.get(socket);
    if (connection !== undefined) addTo(connection, { incoming, outgoing, peer, next: null });
    try {
      const { host, path } = parseTarget(incoming);
      incoming.headers.host = host;
      incoming.url = path;
    } catch (error) {
      refused.add(socket);
      void send(server.refuse(error, peer), outgoing);
      return;
    }
    void answer(incoming, outgoing);
  }

  /** Answers an invalid request with an error, and ends the connection. */
  function refuse(socket: Socket, error: AppError): void {
    if (refused.has(socket)) return;
    refused.add(socket);
    const previous = latestOf(socket);
    if (previous === undefined || previous.outgoing.writableFinished) sendRefusal(socket, error);
    else if (previous.incoming.complete) previous.outgoing.once('close', () => sendRefusal(socket, error));
    // The invalid bytes are the body of the previous request.
    else if (previous.outgoing.headersSent) socket.destroy();
    else {
      previous.outgoing.shouldKeepAlive = false;
      previous.peer.abort?.(error);
    }
  }

  /** Sends an error response for which node:http has no request. */
  function sendRefusal(socket: Socket, error: AppError): void {
    if (!socket.writable) return;
    const outgoing = new ServerResponse(new IncomingMessage(socket));
    outgoing.assignSocket(socket);
    outgoing.once('finish', () => socket.destroySoon());
    void send(server.refuse(error, { address: socket.remoteAddress }), outgoing);
  }

  http.on('connection', (socket) => {
    const connection = { oldest: null, latest: null };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      abortUnsent(connection);
    });
  });
  http.on('request', onRequest);
  // A server may ignore unknown expectations (RFC 9110 §10.1.1).
  http.on('checkExpectation', onRequest);
  http.on('connect', ({ socket }: IncomingMessage) => {
    socket.on('error', () => {});
    refuse(
      socket,
      new AppError('bad_request', 'The request could not be read. CONNECT is for proxies, and this is none.'),
    );
  });
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) return refuse(socket as Socket, toRefusal(error));
    const { incoming, peer } = latestOf(socket) ?? {};
    if (incoming?.complete === false) peer?.abort?.(incompleteRequest());
    socket.destroy(error);
  });
  return {
    *all() {
      for (const [socket, { latest }] of connections)
        yield { socket: socket as Socket, isIdle: latest === null || latest.outgoing.writableFinished };
    },
    endsWith(response) {
      // One that waits behind others has no socket of its own yet.
      const { socket } = response.req;
      if (latestOf(socket)?.outgoing !== response) return false;
      refused.add(socket);
      return true;
    },
  };
}

/** The error for clients, by node:http's error. */
function toRefusal(error: NodeJS.ErrnoException & { readonly reason?: string }): AppError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('header_fields_too_large', 'The target and the headers are larger than 16 kB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('payload_too_large', 'The extensions of chunks are larger than 16 kB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request took too long to arrive.');
    case 'HPE_INVALID_EOF_STATE':
      return incompleteRequest();
    default:
      // The parser's reasons are fixed texts. An error without a reason is one of the connection.
      return error.reason === undefined
        ? incompleteRequest()
        : new AppError('bad_request', `The request could not be read. ${error.reason}.`);
  }
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.from(await response.text());
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'Content-Length': body.length,
  });
  outgoing.end(body);
}
