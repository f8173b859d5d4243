// Blanks what is left of erased contacts, in the background of every gateway and worker. It also continues what a killed process has left.
import type { App } from '../context.ts';
import { blankSome } from '../services/erasures.ts';
import { repeat } from './repeat.ts';

const INTERVAL_MS = 5_000;

export interface Eraser {
  /** Resolves when the batches under way have ended. Other processes, or the next start, do the rest. */
  close(): Promise<void>;
}

/** Starts it, in the background. */
export function startEraser(app: App): Eraser {
  const erasing = repeat(app.log, 'blanking what was erased', INTERVAL_MS, async () =>
    (await blankSome(app)) ? 0 : undefined,
  );
  return { close: () => erasing.stop() };
}
