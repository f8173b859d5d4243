// For processes that print: whoever reads it, such as `head`, may close the pipe early, which is no failure.
import type { Writable } from 'node:stream';

/** What is printed from then on goes nowhere. To be called before anything is printed. */
export function ignoreClosedPipes(...streams: Writable[]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}
