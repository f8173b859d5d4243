// Serves the files of images to every client that has their URL. Their sources are untrusted: the headers make browsers show them only as
// pictures.
import type { Hono } from 'hono';
import { createFairQueue } from '../concurrency/fair-queue.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { matchesTag } from '../messages/content-coding.ts';
import { findFile, type ImageFile, readFile } from '../services/products/image-files.ts';
import type { HttpEnv } from './exchange.ts';
import { refuseWrites } from './pages/reader.ts';

const PATH = '/images/:workspace/:token';

/** How many parts of files are read from the database at the same time, in all and of one workspace, and how many reads may wait. */
const READS = {
  concurrency: 3,
  concurrencyPerKey: 2,
  maxWaiting: 1_000,
  maxWaitingPerKey: 250,
  maxWaitMs: 10_000,
};

export function mountImages(http: Hono<HttpEnv>, app: App): void {
  const reads = createFairQueue(READS);
  app.metrics.watch('queue', 'image_files', () => reads);
  http.get(PATH, async (c) => {
    const { workspace, token } = c.req.param();
    const file = await findFile(app, workspace, token);
    if (file === null) throw imageNotFound();
    const headers = headersOf(file);
    if (matchesTag(c.req.header('if-none-match'), headers.ETag)) return c.body(null, 304, headers);
    const fullHeaders = {
      ...headers,
      'Content-Type': file.contentType,
      'Content-Length': String(file.byteSize),
    };
    if (c.req.method === 'HEAD') return c.body(null, 200, fullHeaders);
    const parts = readFile(app, file);
    const { signal } = c.env.exchange;
    const next = () => reads.run(String(file.workspaceId), () => parts.next(), signal);
    const first = await next();
    if (first.done === true) throw imageNotFound();
    if (first.value.length === file.byteSize) return c.body(first.value, 200, fullHeaders);
    return c.body(ReadableStream.from(partsOf(file.byteSize, first.value, next)), 200, fullHeaders);
  });
  refuseWrites(http, PATH);
}

/** A token belongs to one file for ever, so it is its entity tag too. */
function headersOf({ fileToken }: ImageFile) {
  return {
    ETag: `"${fileToken.slice(0, 16)}"`,
    'Cache-Control': 'public, max-age=86400',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  };
}

function imageNotFound(): AppError {
  return new AppError('not_found', 'No image is served at this path.');
}

/** The parts of a file. Reads each part after the previous one was sent. */
async function* partsOf(
  bytes: number,
  first: Uint8Array<ArrayBuffer>,
  next: () => Promise<IteratorResult<Uint8Array<ArrayBuffer>, unknown>>,
) {
  yield first;
  for (let sent = first.length; sent < bytes; ) {
    const { done, value } = await next();
    // Breaks the response off, so that the client does not take it for the complete file.
    if (done === true) throw new Error('The image was deleted while it was sent.');
    yield value;
    sent += value.length;
  }
}
