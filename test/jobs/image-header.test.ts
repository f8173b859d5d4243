// Reading the header of an untrusted file (src/jobs/images/image-header.ts).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ImageFailure } from '../../src/jobs/images/image-errors.ts';
import { readImageHeader } from '../../src/jobs/images/image-header.ts';
import { avif, gif, jpeg, png, webp } from '../support/image-samples.ts';

const FORMATS = { avif, gif, jpeg, png, webp };

describe.each(Object.entries(FORMATS))('the header of a file of the format %s', (format, make) => {
  const file = make(640, 480);

  test('says its size', () => {
    expect(readImageHeader(file)).toEqual({ contentType: `image/${format}`, width: 640, height: 480 });
  });

  test('of a truncated file is refused, wherever the file ends', () => {
    for (let length = 0; length < file.length; length++)
      expect(() => readImageHeader(file.subarray(0, length)), `${length} bytes`).toThrow('not a whole');
  });

  test('contains its size also if something follows the picture', () => {
    const size = { contentType: `image/${format}`, width: 640, height: 480 };
    expect(readImageHeader(Buffer.concat([file, Buffer.alloc(7)]))).toEqual(size);
  });

  test('that is damaged is refused or has a size, without an exception', () => {
    const isHarmless = (bytes: Buffer) => {
      try {
        const { width, height } = readImageHeader(bytes);
        expect(width * height).toBeLessThanOrEqual(1e8);
        expect(Math.min(width, height)).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(ImageFailure);
      }
    };
    const byte = fc.tuple(fc.nat(file.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), (changes) => {
        const damaged = Buffer.from(file);
        for (const [at, value] of changes) damaged[at] = value;
        isHarmless(damaged);
      }),
    );
  });
});

test.each([
  ['png', png(2 ** 31 - 1, 2 ** 31 - 1)],
  ['png', png(100_001, 1_000)],
  ['jpeg', jpeg(65_535, 65_535)],
  ['gif', gif(65_535, 65_535)],
  ['webp', webp(2 ** 24, 2 ** 24)],
  ['avif', avif(2 ** 32 - 1, 2 ** 32 - 1)],
])('a %s that would fill the memory of those who look at it is refused', (_, file) => {
  expect(() => readImageHeader(file)).toThrow('100 million pixels');
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>')],
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['HEIC', avif(9, 9, { brand: 'heic' })],
  ['BMP', Buffer.from('BM'.padEnd(60, '\0'))],
  ['a PNG without height', png(9, 0)],
])('%s is no picture', (_, file) => {
  expect(() => readImageHeader(file)).toThrow('not a whole PNG, JPEG, GIF, WebP or AVIF');
});

describe('refuses a file that is built to take long to read, even with a size in it:', () => {
  test.each([
    ['brands of an AVIF', avif(9, 9, { brands: 262_144 }), avif(9, 9, { brands: 10 })],
    ['empty boxes of an AVIF', avif(9, 9, { boxes: 131_072 }), avif(9, 9, { boxes: 1_000 })],
    ['associations of an AVIF', avif(9, 9, { associations: 250_000 }), avif(9, 9, { associations: 1_000 })],
    ['segments of a JPEG', jpeg(9, 9, { segments: 262_144 }), jpeg(9, 9, { segments: 1_000 })],
    ['fill bytes of a JPEG', filledJpeg(1_048_576), filledJpeg(1_000)],
    ['chunks of a PNG', chunkedPng(800_000), chunkedPng(50_000)],
    ['blocks of a GIF', blockedGif(5_000_000), blockedGif(40_000)],
  ])('%s', (_, file, real) => {
    expect(() => readImageHeader(file)).toThrow(ImageFailure);
    expect(readImageHeader(real)).toMatchObject({ width: 9 });
  });
});

/** A picture with inserted bytes. */
function spliced(file: Buffer, at: number, bytes: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, at), bytes, file.subarray(at)]);
}

function filledJpeg(count: number): Buffer {
  return spliced(jpeg(9, 9), 2, Buffer.alloc(count, 0xff));
}

/** @param count how many empty chunks follow the first one */
function chunkedPng(count: number): Buffer {
  return spliced(png(9, 9), 33, Buffer.alloc(12 * count, '\0\0\0\0tEXt....'));
}

/** @param count how many extensions of one byte precede the picture */
function blockedGif(count: number): Buffer {
  return spliced(gif(9, 9), 19, Buffer.alloc(5 * count, Buffer.from([0x21, 0xfe, 1, 1, 0])));
}
