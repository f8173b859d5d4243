// What the bench is doing, on standard error: standard output belongs to the report.
import { stderr } from 'node:process';

export interface Progress {
  /** A line that stays. */
  say(line: string): void;
  /** How far something is; on a terminal it replaces itself. */
  bar(what: string, done: number, of: number): void;
}

export function createProgress(): Progress {
  const startedAt = performance.now();
  let open = false;
  let lastTenth = -1;
  const clear = () => {
    if (open) stderr.write('\r\u001b[K');
    open = false;
  };
  return {
    say(line) {
      clear();
      lastTenth = -1;
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
      stderr.write(`${seconds} s  ${line}\n`);
    },
    bar(what, done, of) {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K        ${what} ${Math.round((100 * done) / of)} %`);
        open = true;
        return;
      }
      const tenth = Math.floor((10 * done) / of);
      if (tenth === lastTenth) return;
      if (tenth > 0) stderr.write(`        ${what} ${tenth * 10} %\n`);
      lastTenth = tenth;
    },
  };
}
