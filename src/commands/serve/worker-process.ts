// One worker of `serve`: it answers requests on the socket that all workers share, as the primary directs. It ends when the primary says
// so, and at once when the primary has ended (node:cluster). The primary handles signals (main.ts).
import cluster from 'node:cluster';
import type { AppSecrets } from '../../app.ts';
import { configOfWorker } from '../../config/workers.ts';
import { StartupError } from '../../errors.ts';
import { withApp } from '../database.ts';
import { FailedAsPrinted } from '../failures.ts';
import { aborted, type Shell } from '../shell.ts';
import { watchUnhandledErrors } from '../unhandled-errors.ts';
import type { OfPrimary, OfWorker } from './calls.ts';
import { type Channel, createChannel } from './channel.ts';
import { startGateway } from './running-gateway.ts';

/** Serves until the primary stops it. @throws Error when there is no primary */
export async function serveAsWorker(shell: Shell): Promise<void> {
  const { worker } = cluster;
  if (worker === undefined) throw new Error('This process has no primary.');
  const stopping = new AbortController();
  /** `snapshot` is replaced once there is an App. */
  const answers: OfWorker = {
    stop: () => stopping.abort(),
    snapshot: async () => [],
  };
  const primary: Channel<OfPrimary> = createChannel(worker, answers);
  const [{ databaseUrl, workers, isFirst, port, hasDemoLink }] = await Promise.all([
    primary.ask('assignment'),
    import('../../http/listener.ts'),
  ]);
  const config = configOfWorker({ ...shell.settings().config, workers, port });
  const shared: AppSecrets['primary'] = {
    addCounts: (...counted) => primary.ask('addCounts', ...counted),
    writes: {
      note: (credential) => primary.ask('noteWrite', credential),
      has: (credential) => primary.ask('hasWritten', credential),
    },
  };
  const demoLink = hasDemoLink ? { redeem: (code: string) => primary.ask('redeem', code) } : null;
  try {
    await withApp(shell, { databaseUrl, config, primary: shared, isObserved: true }, async (app) => {
      answers.snapshot = () => app.metrics.snapshot();
      const unhandled = watchUnhandledErrors(shell, app);
      const gateway = await startGateway(shell, app, demoLink);
      try {
        await primary.ask('listening', gateway.port);
        if (isFirst) gateway.startJobs();
        await Promise.race([aborted(stopping.signal), gateway.failed, unhandled.failed]);
      } finally {
        await gateway.close();
        unhandled.stop();
      }
    });
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    // The primary prints the message.
    await primary.ask('failed', error.message);
    throw new FailedAsPrinted();
  }
}
