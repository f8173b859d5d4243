// Listens on a port, and shuts down gracefully.
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withPort } from '../config/config.ts';
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import type { DemoLink } from '../graphiql/demo-link.ts';
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

/**
 * @param demoLink the demo's signed-in link; null: none was printed
 * @throws StartupError when the address cannot be listened on
 */
export async function listen(app: App, demoLink: DemoLink | null = null): Promise<Listener> {
  const { host, port, limits } = app.config;
  const http = createHttpServer({
    // request-target.ts requires it instead, so that its absence gets the usual error response.
    requireHostHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  });
  // An idle connection is closed after so long.
  http.setTimeout(limits.requestTimeoutMs + UNREAD_GRACE_MS);
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(toStartupError(error, host, port)));
    http.listen(port, host, resolve);
  });
  http.on('error', (error) => app.log.error({ err: error }, 'HTTP server'));
  const bound = withPort(app.config, (http.address() as AddressInfo).port);
  // No request can have arrived: this still is the tick of the `listening` event.
  handleRequests(http, createServer({ ...app, config: bound }, demoLink));
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

function toStartupError(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} on ${host} is in use. Stop what uses it, or choose another with PORT=...`,
      );
    case 'EACCES':
      return new StartupError(
        `Port ${port} may not be used by this user. Choose one above 1023 with PORT=...`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `HOST ${host} is not an address of this machine. Set HOST=127.0.0.1 or another one.`,
      );
    default:
      return error;
  }
}
