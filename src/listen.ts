// The server on a port: node:http through Hono's adapter, and the way to stop it without breaking requests off.
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { withPort } from './config.ts';
import type { App } from './context.ts';
import { StartupError } from './errors.ts';
import { createServer, type Server } from './server.ts';

export interface Listener {
  readonly port: number;
  /** Takes no new requests, lets those under way end (up to the configured time), then resolves. */
  close(): Promise<void>;
}

/** @throws StartupError when the address cannot be listened on */
export async function listen(app: App): Promise<Listener> {
  const { host, port, limits } = app.config;
  const serving = Promise.withResolvers<Server>();
  let server: Server | undefined;
  const http = createAdaptorServer({
    fetch: async (request, env) => {
      server ??= await serving.promise;
      return server.fetch(request, { address: (env as HttpBindings).incoming.socket.remoteAddress });
    },
    overrideGlobalObjects: true,
  }) as HttpServer;
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(toStartupError(error, host, port)));
    http.listen(port, host, resolve);
  });
  http.on('error', (error) => app.log.error({ err: error }, 'HTTP server'));
  const bound = withPort(app.config, (http.address() as AddressInfo).port);
  serving.resolve(createServer({ ...app, config: bound }));
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
