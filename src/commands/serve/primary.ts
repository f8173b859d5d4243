// `serve` with several workers. The primary prepares the store, starts the workers, and holds what they share: the banner, the counters
// of rate limits, who has written, the sum of all metrics, and the shutdown. It answers no requests and keeps no connection to the database.

import type { Config } from '../../config/config.ts';
import { configOfWorker } from '../../config/workers.ts';
import { StartupError } from '../../errors.ts';
import { listenForMetrics } from '../../http/metrics-listener.ts';
import { buildInfo } from '../../output/build-info.ts';
import { createLogger } from '../../output/log.ts';
import { createPrimaryCounts } from '../../rates/primary-counts.ts';
import { mostConnections } from '../../store/connections/connection-counts.ts';
import { readServerFacts } from '../../store/inspection/server-facts.ts';
import { createRecentWrites } from '../../store/replicas/recent-writes.ts';
import { lifeOfWrites } from '../../store/replicas/replicas.ts';
import { requireReads } from '../../store/store.ts';
import { noMetrics } from '../../telemetry/metrics.ts';
import { type DatabaseServer, requireUtcSessions, withApp, withServer } from '../database.ts';
import { type DemoPerson, findDemoPerson } from '../demo.ts';
import { untilInterrupted } from '../interruption.ts';
import { linesFor } from '../pretty-log.ts';
import { findShortages } from '../replica-connections.ts';
import { aborted, remark, type Shell } from '../shell.ts';
import { createSummedMetrics } from '../telemetry.ts';
import { watchUnhandledErrors } from '../unhandled-errors.ts';
import type { Assignment } from './calls.ts';
import { announce, createDemoLinkFor, prepare, type ServeOptions, STOPPING } from './prepare.ts';
import { createWorkerPool } from './worker-pool.ts';

const FACTS_TIMEOUT_MS = 5_000;
/** Milliseconds that a worker may take to end, beyond the configured shutdown timeout. */
const STOP_GRACE_MS = 10_000;

/** Serves until the shell's signal. @throws StartupError when it cannot start, or a worker repeatedly fails to start */
export async function serveWithWorkers(shell: Shell, config: Config, options: ServeOptions): Promise<void> {
  // Fails early if a limit is too small to divide.
  configOfWorker(config);
  const log = createLogger(config.logLevel, linesFor(shell.stderr));
  await withServer(shell, async (server) => {
    await requireUtcSessions(shell, server, options);
    await requireConnections(server, config);
    await requireReplicaConnections(shell.settings().secrets.replicaUrls, config);
    const ready = Promise.withResolvers<Pick<Assignment, 'databaseUrl' | 'workers' | 'hasDemoLink'>>();
    let demoLink: ReturnType<typeof createDemoLinkFor> = null;
    const writes = createRecentWrites(lifeOfWrites(config.replicaMaxLagMs));
    const metrics = await createSummedMetrics(config, () => pool.channels());
    const pool = createWorkerPool({
      ...{ count: config.workers, port: config.port, log },
      assign: async (isFirst, port) => ({ ...(await ready.promise), isFirst, port }),
      answers: {
        addCounts: createPrimaryCounts(config.rateLimits),
        noteWrite: writes.note,
        hasWritten: writes.has,
        redeem: async (code) => (await demoLink?.redeem(code)) ?? null,
      },
      onEnded: (id) => metrics.ended(id),
    });
    try {
      const prepared = await prepareStore(shell, server, config, options);
      if (shell.signal.aborted) return;
      demoLink = createDemoLinkFor(shell, prepared.demoKey, { clock: () => new Date(), config });
      ready.resolve({ databaseUrl: server.url, workers: config.workers, hasDemoLink: demoLink !== null });
      const metricsListener = await listenForMetrics({ config, log, metrics });
      const clock = () => new Date();
      const unhandled = watchUnhandledErrors(shell, { config, log, metrics: noMetrics, clock });
      try {
        const port = await Promise.race([pool.started, aborted(shell.signal)]);
        if (port === undefined) return;
        announce(shell, {
          ...{ config, port, ...prepared },
          metricsPort: metricsListener?.port ?? null,
          demoCode: demoLink?.code ?? null,
        });
        log.info(buildInfo(), 'started');
        await Promise.race([aborted(shell.signal), pool.failed, unhandled.failed]);
        remark(shell, STOPPING);
      } finally {
        await pool.stop(config.limits.shutdownDelayMs + config.limits.shutdownTimeoutMs + STOP_GRACE_MS);
        await metricsListener?.close();
        unhandled.stop();
      }
    } finally {
      await pool.stop(0);
    }
  });
}

/** Prepares the store over connections that are closed afterwards. */
function prepareStore(
  shell: Shell,
  { url, embedded }: DatabaseServer,
  config: Config,
  options: ServeOptions,
) {
  return withApp(shell, { databaseUrl: url, config }, async (app) => {
    const database = { app, embedded };
    const [prepared] = await untilInterrupted(shell, app, () =>
      Promise.all([prepare(database, options, shell.signal), requireReads(app.store)]),
    );
    const demoPerson: DemoPerson | null = prepared.store === 'ready' ? await findDemoPerson(database) : null;
    return { ...prepared, demoPerson };
  });
}

/** @throws StartupError when PostgreSQL allows fewer connections than the workers may open */
async function requireConnections({ url }: DatabaseServer, config: Config): Promise<void> {
  const { maxConnections, isPooled } = await readServerFacts({ connectionString: url }, FACTS_TIMEOUT_MS);
  const most = mostConnections(config);
  if (isPooled || most <= maxConnections) return;
  throw new StartupError(
    `${config.workers} workers open up to ${most} connections, and PostgreSQL allows ${maxConnections}: use fewer workers, raise max_connections, or put a pooler between.`,
  );
}

/** The same check for replicas. @throws StartupError */
async function requireReplicaConnections(urls: readonly string[], { workers }: Config): Promise<void> {
  const [shortage] = await findShortages(urls, workers);
  if (shortage === undefined) return;
  const { address, most, allowed } = shortage;
  throw new StartupError(
    `${workers} workers open up to ${most} connections to a replica, and ${address} allows ${allowed}: use fewer workers, raise max_connections, or put a pooler between.`,
  );
}
