// What the header of a picture's file says: its format and its size in pixels. Nothing is decoded.
import { imageDimensionsFromData } from 'image-dimensions';
import { ImageFailure } from './image-errors.ts';

export interface ImageHeader {
  /** The media type. */
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
}

/** Browsers would have to hold them in memory, four bytes each. */
const MAX_PIXELS = 100_000_000;

/** How much of a file is read. A JPEG may have more before its size, and is read in one pass. */
const MAX_HEADER_BYTES = 1024 * 1024;
const JPEG_START = 0xff;

/** Reads the header of a file of unknown content. @throws ImageFailure where browsers do not show it */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const { type, width, height } = dimensionsOf(bytes);
  if (type === 'heic' || width === 0 || height === 0) throw new ImageFailure('unknownFormat');
  if (width * height > MAX_PIXELS) throw new ImageFailure('tooManyPixels');
  return { contentType: `image/${type}`, width, height };
}

function dimensionsOf(bytes: Uint8Array) {
  try {
    const found = imageDimensionsFromData(
      bytes[0] === JPEG_START ? bytes : bytes.subarray(0, MAX_HEADER_BYTES),
    );
    if (found !== undefined) return found;
  } catch {
    // Made to be misread, such as by too many properties of an AVIF.
  }
  throw new ImageFailure('unknownFormat');
}
