// What is read of the header of a file that anybody may have made (src/jobs/images/image-header.ts).
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

  test('that is cut short, or damaged, is refused or says a size: nothing else happens', () => {
    const isHarmless = (bytes: Uint8Array) => {
      try {
        const { width, height } = readImageHeader(bytes);
        expect(width * height).toBeLessThanOrEqual(1e8);
        expect(Math.min(width, height)).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(ImageFailure);
      }
    };
    for (let length = 0; length < file.length; length++) isHarmless(file.subarray(0, length));
    expect(() => readImageHeader(file.subarray(0, 9))).toThrow(ImageFailure);
    const byte = fc.tuple(fc.nat(file.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), (changes) => {
        const damaged = Uint8Array.from(file);
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

test('a header that is made to take long is read no further than its first part', () => {
  expect(() => readImageHeader(avif(9, 9, { associations: 2_000_000 }))).toThrow(ImageFailure);
  expect(readImageHeader(avif(9, 9, { associations: 1_000 }))).toMatchObject({ width: 9 });
});
