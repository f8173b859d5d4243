// Blanks what is left of erased contacts, in the background of every gateway and worker. It also continues what a killed process has left.
import type { App } from '../context.ts';
import { blankSome } from '../services/contacts/erasures.ts';
import { type Background, repeat } from './repeat.ts';

const INTERVAL_MS = 5_000;

/** Starts it. Other processes, or the next start, do what is left when it is closed. */
export function startEraser(app: App): Background {
  return repeat(app.log, 'blanking what was erased', INTERVAL_MS, async () =>
    (await blankSome(app)) ? 0 : undefined,
  );
}
