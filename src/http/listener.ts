// The server on a port, and the way to stop it without breaking requests off.
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withPort } from '../config/config.ts';
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import { answerRequests } from './node-adapter.ts';
import { createServer } from './server.ts';

export interface Listener {
  readonly port: number;
  /** Takes no new requests, lets those under way end (up to the configured time), then resolves. */
  close(): Promise<void>;
}

/** How much longer than a request may take its answer may lie unread. */
const UNREAD_GRACE_MS = 30_000;
/** How often slow requests are looked for. */
const CHECK_INTERVAL_MS = 1_000;

/** @throws StartupError when the address cannot be listened on */
export async function listen(app: App): Promise<Listener> {
  const { host, port, limits } = app.config;
  const http = createHttpServer({
    // Asked for in request-target.ts, which answers in our form.
    requireHostHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  });
  // Whoever neither sends nor reads for so long is gone.
  http.setTimeout(limits.requestTimeoutMs + UNREAD_GRACE_MS);
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(toStartupError(error, host, port)));
    http.listen(port, host, resolve);
  });
  http.on('error', (error) => app.log.error({ err: error }, 'HTTP server'));
  const bound = withPort(app.config, (http.address() as AddressInfo).port);
  // Nothing can have come in yet: events are a turn away.
  answerRequests(http, createServer({ ...app, config: bound }));
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
