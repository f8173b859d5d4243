// Listens on a port, and shuts down gracefully.
import { createServer as createHttpServer, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { withPort } from '../config/config.ts';
import { originsOf } from '../config/origins.ts';
import type { App } from '../context.ts';
import type { DemoLink } from '../graphiql/demo-link.ts';
import { bind } from './bind.ts';
import { limitConnections } from './connection-limits.ts';
import { Draining } from './draining.ts';
import { loadLater } from './late-loading.ts';
import { handleRequests } from './node-adapter.ts';
import { createServer } from './server.ts';

export interface Listener {
  readonly port: number;
  /** Rejects when a module that is loaded after the start can never be loaded in this process. Otherwise pending. @throws StartupError */
  readonly failed: Promise<never>;
  /**
   * Refuses readiness and continues to serve for SHUTDOWN_DELAY_MS, then stops accepting connections. Resolves when the requests on open
   * connections have ended, at the latest after SHUTDOWN_TIMEOUT_MS.
   */
  close(): Promise<void>;
}

/** Added to the request timeout: how long a connection may be idle, so that slow clients can read the response. */
const UNREAD_GRACE_MS = 30_000;
/** How often node:http checks for slow requests. */
const CHECK_INTERVAL_MS = 1_000;
/** The longest time for a request's head, and for a connection to stay open without a new request after a response. */
const HEAD_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** The maximum size of request line and headers. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * The longest time to accept pending connections before the port is closed, even if more keep arriving. Usually it takes some
 * milliseconds; longer if other programs keep the processors busy.
 */
const ACCEPT_MS = 5_000;

/** Node accepts one connection per event loop tick. Resolves after the first tick that accepts none. */
async function acceptWaiting(http: Server): Promise<void> {
  const until = performance.now() + ACCEPT_MS;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  http.on('connection', count);
  for (let before = -1; before !== accepted && performance.now() < until; ) {
    before = accepted;
    // Wait until the poll phase of the next tick is over.
    await nextTick();
    await nextTick();
  }
  http.off('connection', count);
}

/**
 * Starts the server.
 * @param demoLink the demo's sign-in link; null: none was printed
 * @throws StartupError when the address cannot be bound, or a trusted document cannot be executed
 */
export async function listen(app: App, demoLink: DemoLink | null = null): Promise<Listener> {
  const { limits } = app.config;
  const draining = new Draining();
  const http = createHttpServer({
    // request-target.ts requires the header instead, so that its absence gets the usual error response.
    requireHostHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(HEAD_TIMEOUT_MS, limits.requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    ServerResponse: draining.createResponseClass(),
  });
  // request-target.ts refuses too many headers. With a limit here, Node would silently drop the excess ones.
  http.maxHeadersCount = 0;
  limitConnections(http, app.config);
  // Idle connections are closed after this time.
  http.setTimeout(limits.requestTimeoutMs + UNREAD_GRACE_MS);
  const bound = withPort(app.config, await bind(http, app.config, { prefix: '' }));
  app.store.setSqlConstants(originsOf(bound));
  http.on('error', (error) => app.log.error({ err: error }, 'HTTP server'));
  const listening = { ...app, config: bound };
  const server = createServer(listening, demoLink, draining);
  const connections = handleRequests(http, server, listening);
  try {
    // A trusted document that cannot be executed ends the start, and only the loaded GraphQL API finds it. The port is open already, so
    // that earlier requests get an answer.
    if (app.config.trustedDocuments.files.length > 0) await server.load();
  } catch (error) {
    http.close();
    http.closeAllConnections();
    throw error;
  }
  const loading = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  // Without a delay: changes need it, and it takes longer to load than everything else that they need.
  loadLater(() => app.store.loadPrisma(), app.log, loading.signal, 0).catch(failed.reject);
  loadLater(() => server.load(), app.log, loading.signal).catch(failed.reject);
  return {
    port: bound.port,
    failed: failed.promise,
    async close() {
      loading.abort();
      draining.begin(connections);
      await sleep(limits.shutdownDelayMs);
      await acceptWaiting(http);
      const over = new AbortController();
      // Not http.close(): it closes idle connections at once, even if their last response is still being sent.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(http, () => resolve()));
      const timer = setTimeout(() => http.closeAllConnections(), limits.shutdownTimeoutMs);
      const swept = draining.closeIdle(over.signal);
      await closed;
      clearTimeout(timer);
      over.abort();
      await swept;
      // Stops the timer of node:http.
      http.close();
    },
  };
}
