// A gateway in process on an embedded database.
import { closeApp, createApp } from '../../src/app.ts';
import { loadOrCreateSecretKey } from '../../src/commands/secret-key.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { App } from '../../src/context.ts';
import { createServer, type Server } from '../../src/http/server.ts';
import { createLogger } from '../../src/output/log.ts';
import type { Clusters } from '../support/cluster.ts';

/** A gateway in process on the embedded database of a data folder, as `serve` has it. */
export async function openGateway(
  clusters: Clusters,
  dataDir: string,
): Promise<{
  app: App;
  send(path: string, init?: RequestInit & { token?: string }): Promise<Response>;
  close(): Promise<void>;
}> {
  const database = await clusters.open(dataDir);
  const { config } = parseConfig({ DATA_DIR: dataDir, LOOKUP_CACHE_MS: '0', POOL_SIZE: '2' }, '/');
  const log = createLogger('silent');
  const secretKeys = () => [loadOrCreateSecretKey(dataDir)];
  const app = createApp(config, { databaseUrl: database.url, secretKeys }, { log, accessLog: log });
  const server: Server = createServer(app);
  return {
    app,
    send: async (path, { token, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
      return server.fetch(new Request(`http://localhost:4000${path}`, { ...init, headers }));
    },
    async close() {
      await closeApp(app);
      await database.release();
    },
  };
}
