// Deletes expired rows, for all processes of the gateway.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../context.ts';
import { clean } from '../services/cleaning.ts';
import { earlierOfClocks } from '../store/cleaning/cleaning.ts';
import type { ScheduledJob } from '../store/queue/job-queue.ts';

/** The pause while more rows are left, short enough to delete them faster than new ones expire. */
const SOON_MS = 5_000;

export const cleaning = (app: App): ScheduledJob => ({
  name: 'cleaning',
  cron: '*/10 * * * *',
  async run(signal) {
    while (!signal.aborted && (await clean(app, await earlierOfClocks(app.store, app.clock()))))
      await sleep(SOON_MS, undefined, { signal }).catch(() => {});
  },
});
