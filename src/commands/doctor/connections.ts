// Opens the few connections for the checks of a database, and closes them when the checks have ended.
import { type AppSecrets, closeApp, createApp } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import type { App } from '../../context.ts';
import { createLogger } from '../../output/log.ts';
import type { Limits } from './limits.ts';

interface SilentSecrets extends Pick<AppSecrets, 'databaseUrl' | 'replicaUrls'> {
  readonly secretKeys: readonly string[];
}

/** Runs `work` with an App that logs nothing. */
export async function withSilentApp<T>(
  config: Config,
  { answerMs }: Limits,
  { secretKeys, ...urls }: SilentSecrets,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const log = createLogger('silent');
  const secrets = { ...urls, secretKeys: () => secretKeys, connectTimeoutMs: answerMs };
  const app = createApp(config, secrets, { log, accessLog: log });
  try {
    return await work(app);
  } finally {
    // Not awaited: a hanging statement must not keep doctor from reporting it.
    closeApp(app).catch(() => {});
  }
}
