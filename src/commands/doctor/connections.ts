// The connections of doctor's checks: few, and closed when the check has ended.
import pg from 'pg';
import { type AppSecrets, closeApp, createApp } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import type { App } from '../../context.ts';
import { createLogger } from '../../output/log.ts';

const TIMEOUT_MS = 5_000;

/** Runs `work` with a pool of one connection. */
export async function withPool<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: TIMEOUT_MS });
  pool.on('error', () => {});
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Runs `work` with an App that logs nothing. */
export async function withSilentApp<T>(
  config: Config,
  secrets: Omit<AppSecrets, 'secretKeys'> & { readonly secretKeys?: readonly string[] },
  work: (app: App) => Promise<T>,
): Promise<T> {
  const log = createLogger('silent');
  const { secretKeys = [] } = secrets;
  const app = createApp(config, { ...secrets, secretKeys: () => secretKeys }, { log, accessLog: log });
  try {
    return await work(app);
  } finally {
    await closeApp(app);
  }
}
