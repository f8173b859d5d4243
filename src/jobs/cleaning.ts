// Deletes what has expired, in the background of every gateway and worker. Several may do so at once: they leave each other's rows out, or
// wait for each other (store/cleaning/cleaning.ts).
import type { App } from '../context.ts';
import { clean } from '../services/cleaning.ts';
import { notAhead } from '../store/cleaning/cleaning.ts';
import { type Background, repeat } from './repeat.ts';

const INTERVAL_MS = 10 * 60_000;
/** A process that has just started has other things to do. */
const FIRST_MS = 60_000;
/** The pause while more is left: it must not be added faster than it is deleted. */
const SOON_MS = 5_000;

/** Starts it. */
export function startCleaning(app: App, firstMs = FIRST_MS): Background {
  const work = async () => ((await clean(app, await notAhead(app.store, app.clock()))) ? SOON_MS : undefined);
  return repeat(app.log, 'deleting what has expired', INTERVAL_MS, work, firstMs);
}
