// Listens on a port, and shuts down gracefully.
import { createServer as createHttpServer } from 'node:http';
import { withPort } from '../config/config.ts';
import type { App } from '../context.ts';
import type { DemoLink } from '../graphiql/demo-link.ts';
import { bind } from './bind.ts';
import { limitConnections } from './connection-limits.ts';
import { handleRequests } from './node-adapter.ts';
import { createServer } from './server.ts';

export interface Listener {
  readonly port: number;
  /** Stops accepting requests, and resolves when those under way have ended, at most after the configured time. */
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

/**
 * @param demoLink the demo's signed-in link; null: none was printed
 * @throws StartupError when the address cannot be listened on
 */
export async function listen(app: App, demoLink: DemoLink | null = null): Promise<Listener> {
  const { limits } = app.config;
  const http = createHttpServer({
    // request-target.ts requires it instead, so that its absence gets the usual error response.
    requireHostHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(HEAD_TIMEOUT_MS, limits.requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  });
  // request-target.ts refuses too many: those above a limit here would be left out without a word.
  http.maxHeadersCount = 0;
  limitConnections(http, app.config);
  // An idle connection is closed after so long.
  http.setTimeout(limits.requestTimeoutMs + UNREAD_GRACE_MS);
  const bound = withPort(app.config, await bind(http, app.config, { prefix: '' }));
  http.on('error', (error) => app.log.error({ err: error }, 'HTTP server'));
  handleRequests(http, createServer({ ...app, config: bound }, demoLink), { ...app, config: bound });
  return {
    port: bound.port,
    async close() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      const timer = setTimeout(() => http.closeAllConnections(), limits.shutdownTimeoutMs);
      http.closeIdleConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}
