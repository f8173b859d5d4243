// Downloads a file from an untrusted server: only from an allowed address, within a time limit, up to a size.
import { type Dispatcher, request } from 'undici';
import { readBytes } from '../../messages/body.ts';
import { ImageFailure, toImageFailure } from './image-errors.ts';

const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
/** The time limit from the first connection to the last byte. */
const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 5;

const HEADERS = {
  accept: 'image/avif, image/webp, image/png, image/jpeg, image/gif',
  'accept-encoding': 'identity',
  'user-agent': 'funnel-gateway',
};

/**
 * Downloads a file. Follows redirects to any server that the dispatcher connects to, but none from https to http.
 * @param signal aborts the download
 * @throws ImageFailure; the signal's reason when it is aborted
 */
export async function download(
  dispatcher: Dispatcher,
  url: string,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<Buffer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await follow(dispatcher, new URL(url), AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    throw timeout.aborted ? new ImageFailure('answerTimeout') : toImageFailure(error);
  }
}

async function follow(dispatcher: Dispatcher, first: URL, signal: AbortSignal): Promise<Buffer> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { statusCode, headers, body } = await request(url, { dispatcher, signal, headers: HEADERS });
    // Destroying an unread body ends the connection, with an error that this ignores.
    body.on('error', () => {});
    try {
      if (statusCode === 200) {
        if (Number(headers['content-length'] ?? 0) > MAX_IMAGE_BYTES) throw tooLarge();
        return await readBytes(body, MAX_IMAGE_BYTES, tooLarge);
      }
      const { location } = headers;
      if (statusCode < 300 || statusCode >= 400 || location === undefined) throw new ImageFailure('status');
      url = redirectedTo(url, String(location));
    } finally {
      body.destroy();
    }
  }
  throw new ImageFailure('tooManyRedirects');
}

/** The target of a redirect. @throws ImageFailure for a URL that no image may have, and for a redirect from https to http */
function redirectedTo(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  const isAllowed =
    to !== null &&
    (to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')) &&
    `${to.username}${to.password}` === '';
  if (!isAllowed) throw new ImageFailure('redirect');
  return to;
}

function tooLarge(): ImageFailure {
  return new ImageFailure('tooLarge');
}
