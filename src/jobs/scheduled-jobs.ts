// The jobs that one process at a time does for all processes. Every gateway and worker offers to do them.
import type { App } from '../context.ts';
import { type JobQueue, startJobQueue } from '../store/queue/job-queue.ts';
import { cleaning } from './cleaning.ts';
import { postPublishing } from './post-publishing.ts';

/** Starts in the background. */
export function startScheduledJobs(app: App): JobQueue {
  return startJobQueue(app.store.pool, app.log, [cleaning(app), postPublishing(app)]);
}
