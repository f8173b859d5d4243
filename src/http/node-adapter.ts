// Connects node:http to the server. Bytes that are not a valid HTTP request get the same error responses as requests, in order behind
// the responses to earlier requests on the connection.
import { type Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { AppError } from '../errors.ts';
import { clientDisconnected, incompleteRequest, type Peer } from './exchange.ts';
import { parseTarget } from './request-target.ts';
import type { Server } from './server.ts';

/** A request with its response. */
interface HttpMessages {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly peer: Peer;
}

/** Answers the requests of a node:http server. */
export function handleRequests(http: HttpServer, server: Server): void {
  /** The latest request of each connection. */
  const latest = new WeakMap<Duplex, HttpMessages>();
  /**
   * For each connection, the requests whose responses have not been sent completely, most often one. No Set: as it grows and
   * shrinks, the hash tables that it abandons keep their contents until the next full garbage collection.
   */
  const unsent = new WeakMap<Duplex, Peer[]>();
  /** Connections that get no response any more after that to an invalid request. */
  const refused = new WeakSet<Duplex>();
  const answer = getRequestListener(
    (request, env) => server.fetch(request, latest.get((env as HttpBindings).incoming.socket)?.peer),
    { overrideGlobalObjects: true },
  );

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    // Bytes behind an invalid request cannot be interpreted.
    if (refused.has(socket)) return;
    const peer: Peer = { address: socket.remoteAddress, incoming };
    latest.set(socket, { incoming, outgoing, peer });
    try {
      const { host, path } = parseTarget(incoming);
      incoming.headers.host = host;
      incoming.url = path;
    } catch (error) {
      refused.add(socket);
      void send(server.refuse(error, peer), outgoing);
      return;
    }
    const peers = unsent.get(socket);
    peers?.push(peer);
    void answer(incoming, outgoing).then(() => {
      peers?.splice(peers.indexOf(peer), 1);
      peer.abort = null;
    });
  }

  /** Answers an invalid request with an error, and ends the connection. */
  function refuse(socket: Socket, error: AppError): void {
    if (refused.has(socket)) return;
    refused.add(socket);
    const previous = latest.get(socket);
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
    const peers: Peer[] = [];
    unsent.set(socket, peers);
    socket.once('close', () => {
      for (const { abort } of peers) abort?.(clientDisconnected());
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
    const { incoming, peer } = latest.get(socket) ?? {};
    if (incoming?.complete === false) peer?.abort?.(incompleteRequest());
    socket.destroy(error);
  });
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
