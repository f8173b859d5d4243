// Blanks the remaining data of erased contacts, in the background of every gateway and worker. It also continues the work of a killed
// process.
import type { App } from '../context.ts';
import { blankSome } from '../services/contacts/erasures.ts';
import { type Background, repeat } from './repeat.ts';

const INTERVAL_MS = 5_000;

/** Starts the eraser. When it is closed, other processes or the next start do the rest. */
export function startEraser(app: App): Background {
  return repeat(app.log, 'blanking what was erased', INTERVAL_MS, async () =>
    (await blankSome(app)) ? 0 : undefined,
  );
}
