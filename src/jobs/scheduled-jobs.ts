// The jobs that one process at a time does for the whole gateway. Every gateway and worker offers to do them.
import type { App } from '../context.ts';
import { type JobQueue, startJobQueue } from '../store/queue/job-queue.ts';
import { cleaning } from './cleaning.ts';

/** The jobs by which versions before leased endpoints: their workers stop when these are gone, and this version's take over. */
const RETIRED_BY_DELIVERY = ['webhook_endpoints'];

/** Starts in the background. @param delivers whether this process also delivers webhooks */
export function startScheduledJobs(app: App, { delivers }: { readonly delivers: boolean }): JobQueue {
  return startJobQueue(app.store.pool, app.log, [cleaning(app)], delivers ? RETIRED_BY_DELIVERY : []);
}
