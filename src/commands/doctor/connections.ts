// The connections of doctor's checks: few, and closed when the check has ended.
import pg from 'pg';
import { type AppSecrets, closeApp, createApp } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import type { App } from '../../context.ts';
import { createLogger } from '../../output/log.ts';
import type { Limits } from './limits.ts';

/** Where a check connects, and how long it waits for that. */
export interface Target {
  readonly url: string;
  readonly limits: Limits;
}

/** Runs `work` with a pool of one connection. */
export async function withPool<T>({ url, limits }: Target, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: limits.answerMs });
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
  { answerMs }: Limits,
  secrets: Omit<AppSecrets, 'secretKeys' | 'connectTimeoutMs'> & { readonly secretKeys?: readonly string[] },
  work: (app: App) => Promise<T>,
): Promise<T> {
  const log = createLogger('silent');
  const { secretKeys = [] } = secrets;
  const app = createApp(
    config,
    { ...secrets, secretKeys: () => secretKeys, connectTimeoutMs: answerMs },
    { log, accessLog: log },
  );
  try {
    return await work(app);
  } finally {
    await closeApp(app);
  }
}
