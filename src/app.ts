// Makes the App: what lives as long as the process. Tests replace what they need.
import type { Config } from './config.ts';
import type { App } from './context.ts';
import { createLogger } from './log.ts';
import { createStore } from './store/store.ts';

/** Opens no connection yet. The caller closes `app.store`. */
export function createApp(
  config: Config,
  secrets: { databaseUrl: string },
  overrides: Partial<App> = {},
): App {
  const log = overrides.log ?? createLogger(config.logLevel);
  return {
    config,
    log,
    clock: overrides.clock ?? (() => new Date()),
    store:
      overrides.store ??
      createStore({
        url: secrets.databaseUrl,
        poolSize: config.poolSize,
        statementTimeoutMs: config.limits.statementTimeoutMs,
        log,
      }),
  };
}
