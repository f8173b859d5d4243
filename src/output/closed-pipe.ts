// Handles output that cannot be written. The reader, such as `head`, may close the pipe early, which is not a failure. Failed output must
// not end a process that serves.
import type { Writable } from 'node:stream';

/** Discards all further output. Must be called before anything is printed. */
export function ignoreClosedPipes(...streams: Writable[]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/**
 * Keeps the process of a command running when its output fails, for example because of a full disk or a closed terminal.
 * @returns a function that returns why output to `stdout` failed; null if it did not fail, or its reader closed it
 */
export function ignoreFailedOutput(stdout: Writable, stderr: Writable): () => string | null {
  let reason: string | null = null;
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') reason ??= code ?? message;
  });
  // The reason cannot be printed anywhere.
  stderr.on('error', () => {});
  return () => reason;
}
