// Blanks in the background what erased contacts have left, in every gateway and every worker: also what a process that was killed has left.
import type { App } from '../context.ts';
import { blankSome } from '../services/erasures.ts';
import { repeat } from './repeat.ts';

const INTERVAL_MS = 5_000;

export interface Eraser {
  /** Resolves when the batches that are under way have ended; the rest is left to whoever comes next. */
  close(): Promise<void>;
}

/** Starts it, in the background. */
export function startEraser(app: App): Eraser {
  const erasing = repeat(app.log, 'blanking what was erased', INTERVAL_MS, async () =>
    (await blankSome(app)) ? 0 : undefined,
  );
  return { close: () => erasing.stop() };
}
