// Creates the App, whose parts live as long as the process. Tests can override parts.
import { createIssuerKeys } from './auth/issuer-keys.ts';
import { createKeyring } from './auth/keyring.ts';
import { createLookups } from './auth/lookups.ts';
import { createSigningKeyCache } from './auth/signing-key-cache.ts';
import type { Config } from './config/config.ts';
import { originsOf } from './config/origins.ts';
import type { App } from './context.ts';
import { createLogger } from './output/log.ts';
import { createRates } from './rates/rates.ts';
import { createPasswordChecks } from './services/sign-in/passwords.ts';
import { loadOf } from './store/connections/pool.ts';
import { createStore, type Store } from './store/store.ts';
import { type Metrics, noMetrics } from './telemetry/metrics.ts';

/** The values that an App needs in addition to its configuration. */
export interface AppSecrets {
  databaseUrl: string;
  listenUrl?: string | undefined;
  replicaUrls?: readonly string[];
  redisUrl?: string | undefined;
  secretKeys: () => readonly string[];
  /** The time limit for opening a connection to the database; absent: as long as requests can wait. */
  connectTimeoutMs?: number | undefined;
}

/** Creates the App without opening a connection. Close it with `closeApp`. */
export function createApp(config: Config, secrets: AppSecrets, overrides: Partial<App> = {}): App {
  const log = overrides.log ?? createLogger(config.logLevel);
  const store =
    overrides.store ??
    createStore({
      url: secrets.databaseUrl,
      listenUrl: secrets.listenUrl,
      replicas: {
        urls: secrets.replicaUrls ?? [],
        maxLagMs: config.replicaMaxLagMs,
        redisUrl: secrets.redisUrl,
      },
      poolSize: config.poolSize,
      sqlConstants: originsOf(config),
      preparedStatements: config.preparedStatements,
      statementTimeoutMs: config.limits.statementTimeoutMs,
      connectTimeoutMs: secrets.connectTimeoutMs,
      log,
    });
  const { metrics = noMetrics, tracer = null } = overrides;
  const passwordChecks = overrides.passwordChecks ?? createPasswordChecks();
  watchStore(metrics, store);
  metrics.watch('queue', 'password_checks', () => passwordChecks);
  const { outside } = config.oauth;
  const send = overrides.fetch ?? fetch;
  const clock = overrides.clock ?? (() => new Date());
  const keyring = overrides.keyring ?? createKeyring(secrets.secretKeys);
  return {
    config,
    log,
    accessLog: overrides.accessLog ?? log,
    metrics,
    tracer,
    store,
    lookups: overrides.lookups ?? createLookups(store, config.lookupCacheMs, log, metrics),
    keyring,
    passwordChecks,
    rates:
      overrides.rates ??
      createRates({
        limits: config.rateLimits,
        redisUrl: secrets.redisUrl,
        nameOf: (key) => keyring.sign('rate limit', key),
        ...{ log, metrics },
      }),
    signingKeyCache: overrides.signingKeyCache ?? createSigningKeyCache(keyring, log),
    issuerKeys: outside && createIssuerKeys({ issuer: outside.issuer, fetch: send, clock, log }),
    fetch: send,
    clock,
  };
}

/** Closes every connection of an App, after the last request. */
export async function closeApp(app: App): Promise<void> {
  await app.rates.close();
  await app.lookups.close();
  await app.store.close();
  await app.tracer?.close();
}

function watchStore(
  metrics: Metrics,
  { pool, readers, lookups, scans, replicas, expensive, changing, rowGuard }: Store,
): void {
  metrics.watch('foreignReads', '', () => rowGuard);
  for (const { name } of replicas?.readings() ?? [])
    metrics.watch('replica', name, () => {
      const reading = replicas?.readings().find((one) => one.name === name);
      if (reading === undefined) return null;
      const { state, lagMs, requests, resent } = reading;
      const lagSeconds = lagMs === null ? null : lagMs / 1_000;
      return { isUsed: state === 'used', lagSeconds, requests, resent };
    });
  metrics.watch('queue', 'expensive_reads', () => expensive);
  metrics.watch('queue', 'changes', () => changing);
  metrics.watch('connections', 'pool', () => loadOf(pool));
  for (const [kind, { load }] of Object.entries({ reads: readers, lookups, scans }))
    metrics.watch('connections', kind, load);
}
