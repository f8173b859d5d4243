// Between node:http and the server: which bytes are a request. What is none is refused here in the form of every refusal, in
// its turn behind the answers to what came before it on the connection.
import { type Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { AppError } from '../errors.ts';
import { brokenOff, clientGone, type Peer } from './exchange.ts';
import { readTarget } from './request-target.ts';
import type { Server } from './server.ts';

/** A request, and the place of its answer. */
interface UnderWay {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly peer: Peer;
}

/** Has the server answer what comes in. */
export function answerRequests(http: HttpServer, server: Server): void {
  /** The request that came last on each connection. */
  const latest = new WeakMap<Duplex, UnderWay>();
  /**
   * The requests of each connection whose answers have not been sent whole, most often one. No Set: as it grows and shrinks its
   * abandoned tables keep what was in them until the next full garbage collection.
   */
  const unsent = new WeakMap<Duplex, Peer[]>();
  const broken = new WeakSet<Duplex>();
  const answer = getRequestListener(
    (request, env) => server.fetch(request, latest.get((env as HttpBindings).incoming.socket)?.peer),
    { overrideGlobalObjects: true },
  );

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    // What follows something unreadable is nobody's.
    if (broken.has(socket)) return;
    const peer: Peer = { address: socket.remoteAddress, incoming };
    latest.set(socket, { incoming, outgoing, peer });
    try {
      const { host, path } = readTarget(incoming);
      incoming.headers.host = host;
      incoming.url = path;
    } catch (error) {
      broken.add(socket);
      void send(server.refuse(error, peer), outgoing);
      return;
    }
    const peers = unsent.get(socket);
    peers?.push(peer);
    void answer(incoming, outgoing).then(() => {
      peers?.splice(peers.indexOf(peer), 1);
      peer.refuse = null;
    });
  }

  /** Refuses what is no request, and ends the connection. */
  function refuse(socket: Socket, error: AppError): void {
    if (broken.has(socket)) return;
    broken.add(socket);
    const before = latest.get(socket);
    if (before === undefined || before.outgoing.writableFinished) sendAlone(socket, error);
    else if (before.incoming.complete) before.outgoing.once('close', () => sendAlone(socket, error));
    // What failed is this request's body.
    else if (before.outgoing.headersSent) socket.destroy();
    else {
      before.outgoing.shouldKeepAlive = false;
      before.peer.refuse?.(error);
    }
  }

  function sendAlone(socket: Socket, error: AppError): void {
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
      for (const { refuse } of peers) refuse?.(clientGone());
    });
  });
  http.on('request', onRequest);
  // A server may pass over what it does not know (RFC 9110 §10.1.1).
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
    if (incoming?.complete === false) peer?.refuse?.(brokenOff());
    socket.destroy(error);
  });
}

/** What node:http found wrong, as a refusal. */
function toRefusal(error: NodeJS.ErrnoException & { readonly reason?: string }): AppError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('header_fields_too_large', 'The target and the headers are larger than 16 kB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('payload_too_large', 'The extensions of chunks are larger than 16 kB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request took too long to arrive.');
    case 'HPE_INVALID_EOF_STATE':
      return brokenOff();
    default:
      // The parser's reasons are fixed texts; an error without one is the connection's.
      return error.reason === undefined
        ? brokenOff()
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
