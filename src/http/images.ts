// Serves the files of images, to anybody who knows their URL. They came from anywhere: browsers show them as pictures and as nothing else.
import type { Hono } from 'hono';
import { createFairQueue } from '../concurrency/fair-queue.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { matchesTag } from '../messages/content-coding.ts';
import { findFile, type ImageFile, readFile } from '../services/products/image-files.ts';
import type { HttpEnv } from './exchange.ts';
import { refuseWrites } from './pages/reader.ts';

const PATH = '/images/:workspace/:token';

/** How many parts of files are read from the database at a time, in all and of one workspace, and how many wait. */
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
    if (file === null) throw noFile();
    const headers = headersOf(file);
    if (matchesTag(c.req.header('if-none-match'), headers.ETag)) return c.body(null, 304, headers);
    const whole = { ...headers, 'Content-Type': file.contentType, 'Content-Length': String(file.byteSize) };
    if (c.req.method === 'HEAD') return c.body(null, 200, whole);
    const parts = readFile(app, file);
    const { signal } = c.env.exchange;
    const next = () => reads.run(String(file.workspaceId), () => parts.next(), signal);
    const first = await next();
    if (first.done === true) throw noFile();
    if (first.value.length === file.byteSize) return c.body(first.value, 200, whole);
    return c.body(ReadableStream.from(partsOf(file.byteSize, first.value, next)), 200, whole);
  });
  refuseWrites(http, PATH);
}

/** A token names one file for ever, so it is its entity tag too. */
function headersOf({ fileToken }: ImageFile) {
  return {
    ETag: `"${fileToken.slice(0, 16)}"`,
    'Cache-Control': 'public, max-age=86400',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  };
}

function noFile(): AppError {
  return new AppError('not_found', 'No image is served at this path.');
}

/** Reads a part when the one before it was sent. */
async function* partsOf(
  bytes: number,
  first: Uint8Array<ArrayBuffer>,
  next: () => Promise<IteratorResult<Uint8Array<ArrayBuffer>, unknown>>,
) {
  yield first;
  for (let sent = first.length; sent < bytes; ) {
    const { done, value } = await next();
    // Cut off, so that nobody takes it for the whole file.
    if (done === true) throw new Error('The image was deleted while it was sent.');
    yield value;
    sent += value.length;
  }
}
