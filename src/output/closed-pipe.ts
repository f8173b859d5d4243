// For processes that print: whoever reads it, such as `head`, may close the pipe early, which is no failure; and what fails to be written
// must not end a process that serves.
import type { Writable } from 'node:stream';

/** What is printed from then on goes nowhere. To be called before anything is printed. */
export function ignoreClosedPipes(...streams: Writable[]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/**
 * For the process of a command: it goes on whatever becomes of what it prints on, such as a file on a full disk or a terminal that is gone.
 * @returns says why something was not printed on `stdout`; null where it was, or where nobody reads it any more
 */
export function outliveOutputs(stdout: Writable, stderr: Writable): () => string | null {
  let reason: string | null = null;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') reason ??= code ?? message;
  });
  // There is nobody to tell.
  stderr.on('error', () => {});
  return () => reason;
}
