// Image files as their formats require, with all parts that the gateway reads. Nothing decodes their pixels.
import { crc32, deflateSync } from 'node:zlib';

function uint(bytes: number, value: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

function littleEndian(bytes: number, value: number): Buffer {
  return uint(bytes, value).reverse();
}

/** A complete PNG, black. If it is huge, only its header has the size. */
export function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([uint(4, data.length), named, uint(4, crc32(named))]);
  };
  const rows = width * height < 1e6 ? Buffer.alloc((width + 1) * height) : Buffer.alloc(0);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([uint(4, width), uint(4, height), Buffer.from([8, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function gif(width: number, height: number): Buffer {
  return Buffer.concat([
    Buffer.from('GIF89a'),
    littleEndian(2, width),
    littleEndian(2, height),
    Buffer.from([0x80, 0, 0]),
    Buffer.alloc(6),
    // A comment, and a frame of two blocks of pixels.
    Buffer.from([0x21, 0xfe, 2, 0x3b, 0x3b, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0]),
    ...[littleEndian(2, width), littleEndian(2, height), Buffer.from([0, 2])],
    ...[Buffer.from([3, 1, 2, 3]), Buffer.from([1, 0x3b]), Buffer.from([0])],
    Buffer.from(';'),
  ]);
}

/** @param segments how many segments of two bytes precede the size */
export function jpeg(width: number, height: number, { segments = 0 } = {}): Buffer {
  const metadata = Buffer.concat([Buffer.from([0xff, 0xe1]), uint(2, 202), Buffer.alloc(200, 'x')]);
  // The end of a preview that a camera puts into the metadata.
  metadata.writeUInt16BE(0xffd9, 100);
  const frame = Buffer.concat([
    Buffer.from([0xff, 0xc0]),
    uint(2, 11),
    uint(1, 8),
    uint(2, height),
    uint(2, width),
  ]);
  const scan = Buffer.from([0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0, 4]);
  return Buffer.concat([
    ...[Buffer.from([0xff, 0xd8]), metadata, Buffer.alloc(4 * segments, Buffer.from([0xff, 0xe1, 0, 2]))],
    ...[Buffer.from([0xff, 0xff]), frame, Buffer.alloc(4), scan, Buffer.from([0xff, 0xd9])],
  ]);
}

/** An extended WebP, whose size may have 24 bits. */
export function webp(width: number, height: number): Buffer {
  const canvas = Buffer.concat([Buffer.alloc(4), littleEndian(3, width - 1), littleEndian(3, height - 1)]);
  const chunk = Buffer.concat([Buffer.from('VP8X'), littleEndian(4, canvas.length), canvas]);
  return Buffer.concat([Buffer.from('RIFF'), littleEndian(4, chunk.length + 4), Buffer.from('WEBP'), chunk]);
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  return Buffer.concat([uint(4, data.length + 8), Buffer.from(type), data]);
}

/**
 * @param brand a value other than `avif` means another format
 * @param brands how many brands precede it
 * @param boxes how many empty boxes precede the others
 * @param associations of the picture with its size: one is enough
 */
export function avif(
  width: number,
  height: number,
  { brand = 'avif', brands = 0, boxes = 0, associations = 1 } = {},
): Buffer {
  const size = box('ispe', Buffer.alloc(4), uint(4, width), uint(4, height));
  const one = Buffer.concat([uint(2, 1), Buffer.from([1, 1])]);
  const associated = Buffer.concat([
    Buffer.alloc(4),
    uint(4, associations),
    ...Array(associations).fill(one),
  ]);
  return Buffer.concat([
    box('ftyp', Buffer.from('mif1'), Buffer.alloc(4 + 4 * brands, 'none'), Buffer.from(brand)),
    Buffer.alloc(8 * boxes, box('free')),
    box(
      'meta',
      Buffer.alloc(4),
      box('pitm', Buffer.alloc(4), uint(2, 1)),
      box('iprp', box('ipco', size), box('ipma', associated)),
    ),
    box('mdat', Buffer.from('pixels')),
  ]);
}
