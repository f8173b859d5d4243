// Connects node:http to the server. Bytes that are not a valid HTTP request get the same error responses as requests, in order after the
// responses to earlier requests on the connection.
import { type Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { isTrustedProxy } from '../auth/hosts.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import type { OpenConnections } from './draining.ts';
import { clientDisconnected, incompleteRequest, type Peer } from './exchange.ts';
import { createLoadShedding } from './load-shedding.ts';
import { toParserRefusal } from './parser-errors.ts';
import { parseTarget, requireShortHead } from './request-target.ts';
import type { Server } from './server.ts';
import { answerShed } from './shed-answer.ts';

/** How many requests of a connection may wait for earlier responses. */
const MAX_WAITING = 32;

/** A request with its response. */
interface HttpMessages {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly peer: Peer;
  /** The error to send after the responses to earlier requests, because the rest of this request could not be read. */
  refusal: AppError | null;
}

/** The requests of a connection, which are answered one at a time. */
interface Connection {
  latest: HttpMessages | null;
  /** The request that is being answered, or was the last to be. */
  current: HttpMessages | null;
  /** The number of requests that wait for earlier responses. */
  waiting: number;
  /** Whether a trusted proxy opened it. Its clients are distinguished by their forwarded addresses. */
  readonly isProxy: boolean;
}

/**
 * Answers the requests of a node:http server, one at a time per connection, and sheds excess load.
 * @returns its open connections
 */
export function handleRequests(
  http: HttpServer,
  server: Server,
  { config, metrics, log }: App,
): OpenConnections {
  const connections = new Map<Duplex, Connection>();
  const latestOf = (socket: Duplex) => connections.get(socket)?.latest ?? undefined;
  /** Connections whose further requests are ignored, after an invalid request or a response that closes the connection. */
  const refused = new WeakSet<Duplex>();
  const load = createLoadShedding(config.limits.maxUnderWay, log);
  metrics.watch('load', '', load.reading);
  const answer = getRequestListener(
    (request, env) =>
      server.fetch(request, connections.get((env as HttpBindings).incoming.socket)?.current?.peer),
    { overrideGlobalObjects: true },
  );

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    // Bytes after an invalid request cannot be interpreted, and after a response that closes the connection nothing is read.
    if (refused.has(socket)) return;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    // The gateway supports no upgrades. node:http drops bytes that arrive with such a request, so the connection is closed afterwards.
    if (incoming.headers.upgrade !== undefined) outgoing.shouldKeepAlive = false;
    const previous = connection.latest;
    const peer: Peer = { address: socket.remoteAddress, isProxy: connection.isProxy, incoming };
    const messages: HttpMessages = { incoming, outgoing, peer, refusal: null };
    connection.latest = messages;
    if (previous === null || previous.outgoing.writableFinished) {
      admit(messages, connection);
      return;
    }
    // Answers one at a time, so that a client that does not read has at most one unread response.
    connection.waiting += 1;
    if (connection.waiting > MAX_WAITING) {
      dropConnection(socket, peer);
      return;
    }
    previous.outgoing.once('close', () => {
      connection.waiting -= 1;
      if (!socket.destroyed && previous.outgoing.shouldKeepAlive) admit(messages, connection);
    });
  }

  /** Starts or sheds a request. The gateway does no work for it before this decision. */
  function admit(messages: HttpMessages, connection: Connection): void {
    const { incoming, outgoing } = messages;
    const start = () => begin(messages, connection);
    load.admit({ incoming, outgoing, isProxy: connection.isProxy }, start, () => {
      if (messages.refusal === null) answerShed(config, incoming, outgoing);
      else start();
    });
  }

  function begin(messages: HttpMessages, connection: Connection): void {
    const { incoming, outgoing, peer, refusal } = messages;
    connection.current = messages;
    try {
      if (refusal !== null) throw refusal;
      requireShortHead(incoming);
      const { host, path } = parseTarget(incoming);
      incoming.headers.host = host;
      incoming.url = path;
    } catch (error) {
      refused.add(incoming.socket);
      void send(server.refuse(error, peer), outgoing);
      return;
    }
    void answer(incoming, outgoing);
  }

  /** Answers an invalid request with an error and closes the connection. */
  function refuse(socket: Socket, error: AppError): void {
    if (refused.has(socket)) return;
    refused.add(socket);
    const previous = latestOf(socket);
    if (previous === undefined || previous.outgoing.writableFinished) sendRefusal(socket, error);
    else if (previous.incoming.complete) previous.outgoing.once('close', () => sendRefusal(socket, error));
    else if (connections.get(socket)?.current !== previous) previous.refusal = error;
    // The invalid bytes are the body of the previous request.
    else if (previous.outgoing.headersSent) socket.destroy();
    else {
      previous.outgoing.shouldKeepAlive = false;
      previous.peer.abort?.(error);
    }
  }

  /** Closes a connection with too many waiting requests. It sends no response, because such a client would not read it. */
  function dropConnection(socket: Socket, peer: Peer): void {
    refused.add(socket);
    const error = new AppError(
      'bad_request',
      `More than ${MAX_WAITING} requests wait on this connection. Wait for answers, or open more connections.`,
    );
    void server.refuse(error, peer).body?.cancel();
    socket.destroy();
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
    const isProxy = isTrustedProxy(config, socket.remoteAddress ?? '');
    const connection: Connection = { latest: null, current: null, waiting: 0, isProxy };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      const { current } = connection;
      if (current?.outgoing.writableFinished === false) current.peer.abort?.(clientDisconnected());
    });
  });
  http.on('request', onRequest);
  // A server may ignore unknown expectations (RFC 9110 §10.1.1).
  http.on('checkExpectation', onRequest);
  http.on('connect', ({ socket }: IncomingMessage) => {
    socket.on('error', () => {});
    refuse(socket, new AppError('bad_request', 'The method CONNECT is not supported: this is not a proxy.'));
  });
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) return refuse(socket as Socket, toParserRefusal(error));
    const { incoming, peer } = latestOf(socket) ?? {};
    if (incoming?.complete === false) peer?.abort?.(incompleteRequest());
    socket.destroy(error);
  });
  return {
    *all() {
      for (const [duplex, { latest }] of connections) {
        const socket = duplex as Socket;
        const isAnswered = latest === null || latest.outgoing.writableFinished;
        yield { socket, isIdle: isAnswered };
      }
    },
    endsWith(response) {
      // A response that waits for earlier ones has no socket yet, but its request has.
      const { socket } = response.req;
      if (latestOf(socket)?.outgoing !== response) return false;
      refused.add(socket);
      return true;
    },
  };
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
