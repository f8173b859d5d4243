// The progress of a long command: on a terminal one line that is rewritten, elsewhere a line every few seconds, nothing with --json.
import type { Shell } from './shell.ts';

export interface Progress {
  /** Adds to the number of things that are done. */
  add(count: number): void;
  stop(): void;
}

const EVERY_MS = { terminal: 100, elsewhere: 5_000 };
/** Goes back to the start of the line, and clears it. */
const OVER = '\r\u001b[K';

/** Starts to print progress on standard error. @param what the counted things, in the plural */
export function createProgress({ stderr, json }: Shell, total: number, what: string): Progress {
  const isTerminal = stderr.isTTY === true;
  const everyMs = isTerminal ? EVERY_MS.terminal : EVERY_MS.elsewhere;
  let nextAt = performance.now() + everyMs;
  let done = 0;
  return {
    add(count) {
      done += count;
      if (json || performance.now() < nextAt) return;
      nextAt = performance.now() + everyMs;
      const percent = Math.floor((100 * done) / total);
      const line = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${what} (${percent} %)`;
      stderr.write(isTerminal ? `${OVER}${line}` : `${line}\n`);
    },
    stop() {
      if (isTerminal && !json) stderr.write(OVER);
    },
  };
}
