// Reads the header of a picture's file: its format and its size in pixels.
import { ImageFailure } from './image-errors.ts';
import { readPicture } from './image-formats.ts';

export interface ImageHeader {
  /** The media type. */
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
}

/** Browsers would have to hold them in memory, four bytes each. */
const MAX_PIXELS = 100_000_000;

/** Reads the header of a file of unknown content. @throws ImageFailure where browsers do not show it, or not all of it */
export function readImageHeader(bytes: Buffer): ImageHeader {
  const picture = readPicture(bytes);
  if (picture === null || picture.width === 0 || picture.height === 0)
    throw new ImageFailure('unknownFormat');
  const { format, width, height } = picture;
  if (width * height > MAX_PIXELS) throw new ImageFailure('tooManyPixels');
  return { contentType: `image/${format}`, width, height };
}
