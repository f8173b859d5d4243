// Listens on a port, and shuts down gracefully.
import { createServer as createHttpServer, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { withPort } from '../config/config.ts';
import type { App } from '../context.ts';
import type { DemoLink } from '../graphiql/demo-link.ts';
import { bind } from './bind.ts';
import { limitConnections } from './connection-limits.ts';
import { Draining } from './draining.ts';
import { handleRequests } from './node-adapter.ts';
import { createServer } from './server.ts';

export interface Listener {
  readonly port: number;
  /**
   * Goes on for SHUTDOWN_DELAY_MS while readiness is refused, then stops accepting connections, and resolves when the requests of those
   * that there are have ended, at most after SHUTDOWN_TIMEOUT_MS.
   */
  close(): Promise<void>;
}

/** How much longer than the request timeout a connection may be idle, so that a slow client can read its response. */
const UNREAD_GRACE_MS = 30_000;
/** How often node:http checks for slow requests. */
const CHECK_INTERVAL_MS = 1_000;
/** How long the head of a request may take, from the connection's beginning or the answer before; and how long there may be none. */
const HEAD_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** Target and headers. */
const MAX_HEAD_BYTES = 16 * 1024;

/** What is loaded behind listening begins so late, or when somebody asks for readiness: whoever waited for the port is answered first. */
const LOAD_AFTER_MS = 500;

/** How long those who have connected before the port is closed may take to be accepted: however many go on coming, no longer. */
const ACCEPT_MS = 1_000;

/** Node accepts one connection a turn of the event loop. Resolves behind the first turn that has accepted none. */
async function acceptWaiting(http: Server): Promise<void> {
  const until = performance.now() + ACCEPT_MS;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  http.on('connection', count);
  for (let before = -1; before !== accepted && performance.now() < until; ) {
    before = accepted;
    // Behind the poll phase of the next turn.
    await turn();
    await turn();
  }
  http.off('connection', count);
}

/**
 * @param demoLink the demo's signed-in link; null: none was printed
 * @throws StartupError when the address cannot be listened on
 */
export async function listen(app: App, demoLink: DemoLink | null = null): Promise<Listener> {
  const { limits } = app.config;
  const draining = new Draining();
  const http = createHttpServer({
    // request-target.ts requires it instead, so that its absence gets the usual error response.
    requireHostHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(HEAD_TIMEOUT_MS, limits.requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    ServerResponse: draining.createResponseClass(),
  });
  // request-target.ts refuses too many: those above a limit here would be left out without a word.
  http.maxHeadersCount = 0;
  limitConnections(http, app.config);
  // An idle connection is closed after so long.
  http.setTimeout(limits.requestTimeoutMs + UNREAD_GRACE_MS);
  const bound = withPort(app.config, await bind(http, app.config, { prefix: '' }));
  http.on('error', (error) => app.log.error({ err: error }, 'HTTP server'));
  const listening = { ...app, config: bound };
  const server = createServer(listening, demoLink, draining);
  const connections = handleRequests(http, server, listening);
  const loading = setTimeout(() => {
    server.load().catch((error: unknown) => app.log.error({ err: error }, 'loading'));
  }, LOAD_AFTER_MS);
  loading.unref();
  return {
    port: bound.port,
    async close() {
      clearTimeout(loading);
      draining.begin(connections);
      await sleep(limits.shutdownDelayMs);
      await acceptWaiting(http);
      const over = new AbortController();
      // Not http.close(): it closes what is idle at once, also where the last answer is still being sent.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(http, () => resolve()));
      const timer = setTimeout(() => http.closeAllConnections(), limits.shutdownTimeoutMs);
      const swept = draining.closeIdle(over.signal);
      await closed;
      clearTimeout(timer);
      over.abort();
      await swept;
      // Ends its timer.
      http.close();
    },
  };
}
