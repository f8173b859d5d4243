// The progress of a long command: a bar on a terminal, a line every few seconds elsewhere, nothing with --json.
import { Presets, SingleBar } from 'cli-progress';
import type { Shell } from './shell.ts';

export interface Progress {
  /** So many more are done. */
  add(count: number): void;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;

/** Starts showing progress on standard error. @param what the counted things, in the plural */
export function createProgress(shell: Shell, total: number, what: string): Progress {
  if (shell.json) return { add() {}, stop() {} };
  return shell.stderr.isTTY ? createBar(shell, total, what) : createLines(shell, total, what);
}

function createBar(shell: Shell, total: number, what: string): Progress {
  const bar = new SingleBar(
    {
      stream: shell.stderr,
      format: `{bar} {percentage} %  {value} of {total} ${what}  {eta_formatted} left`,
      // Leaves the terminal's settings alone, so that a kill leaves nothing to repair; main.ts handles signals.
      hideCursor: false,
      linewrap: true,
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { add: (count) => bar.increment(count), stop: () => bar.stop() };
}

function createLines(shell: Shell, total: number, what: string): Progress {
  let nextAt = performance.now() + LINE_EVERY_MS;
  let done = 0;
  return {
    add(count) {
      done += count;
      if (performance.now() < nextAt) return;
      nextAt = performance.now() + LINE_EVERY_MS;
      const percent = Math.floor((100 * done) / total);
      shell.stderr.write(
        `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${what} (${percent} %)\n`,
      );
    },
    stop() {},
  };
}
