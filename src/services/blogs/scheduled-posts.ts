// Publishes scheduled posts when their time has come.
import type { App } from '../../context.ts';
import { publishDuePosts } from '../../store/changing/blogs.ts';

const BATCH = 100;

/** Publishes some posts whose time had come at `now`. @returns whether there may be more */
export async function publishDue({ store }: App, now: Date): Promise<boolean> {
  const { found, endpoints } = await publishDuePosts(store, now, BATCH);
  store.deliveries.notify(endpoints);
  return found === BATCH;
}
