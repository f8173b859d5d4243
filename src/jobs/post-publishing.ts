// Publishes scheduled posts of blogs, for all processes of the gateway.
import type { App } from '../context.ts';
import { publishDue } from '../services/blogs/scheduled-posts.ts';
import { earlierOfClocks } from '../store/cleaning/cleaning.ts';
import type { ScheduledJob } from '../store/queue/job-queue.ts';

export const postPublishing = (app: App): ScheduledJob => ({
  name: 'post-publishing',
  cron: '* * * * *',
  async run(signal) {
    while (!signal.aborted && (await publishDue(app, await earlierOfClocks(app.store, app.clock()))));
  },
});
