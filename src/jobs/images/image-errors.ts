// The reasons why the file of an image cannot be fetched: one plain sentence each, from a fixed list. Clients read them.
import { attemptErrorOf, REASONS } from '../delivery/attempt-errors.ts';

const SENTENCES = {
  ...REASONS,
  refusedAddress: 'The URL leads to an address that images may not be fetched from.',
  proxy: 'The proxy that images are fetched through did not connect.',
  failed: 'The file could not be fetched.',
  status: 'The answer was not a file: its status was not 200.',
  redirect: 'The URL redirects to one that images are not fetched from, or from https to http.',
  tooManyRedirects: 'The URL redirects more than five times.',
  tooLarge: 'The file is larger than 10 MB.',
  unknownFormat: 'The file is not a whole PNG, JPEG, GIF, WebP or AVIF.',
  tooManyPixels: 'The image has more than 100 million pixels.',
  noRoom: 'The images of the workspace would be larger than 1 GB together.',
} as const;

const TIMEOUTS: ReadonlySet<ImageReason> = new Set(['answerTimeout', 'connectTimeout', 'nameNotResolved']);

type ImageReason = keyof typeof SENTENCES;

/** A failure that another attempt would have too. */
export class ImageFailure extends Error {
  /** Whether the server did not answer in time. */
  readonly isTimeout: boolean;

  constructor(reason: ImageReason) {
    super(SENTENCES[reason]);
    this.isTimeout = TIMEOUTS.has(reason);
  }
}

/** The failure for any error that ends a request. */
export function toImageFailure(error: unknown): ImageFailure {
  return error instanceof ImageFailure ? error : new ImageFailure(attemptErrorOf(error));
}
