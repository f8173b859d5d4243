// The formats of pictures that browsers show: reads the size in a file's header, and whether the file is truncated, without decoding it.
// Files are untrusted, so the number of parts that are read is limited.

/** The format and the size in a file's header. */
export interface Picture {
  readonly format: 'png' | 'gif' | 'jpeg' | 'webp' | 'avif';
  readonly width: number;
  readonly height: number;
}

/** The maximum of chunks, blocks or segments read of one file. A GIF of 10 MB has some 40,000, other files a few thousand. */
const MAX_PARTS = 100_000;
/** The maximum of boxes and associations read of an AVIF. Real files have fewer than a hundred. */
const MAX_AVIF_PARTS = 5_000;
const MAX_AVIF_BRANDS = 64;

const READERS = [readPng, readGif, readJpeg, readWebp, readAvif];

/** @returns null if the file has another format, is truncated, or has too many parts */
export function readPicture(bytes: Buffer): Picture | null {
  for (const read of READERS) {
    try {
      const picture = read(bytes);
      if (picture !== null) return picture;
    } catch (error) {
      // The file contains an offset beyond its end.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return null;
}

function textAt(bytes: Buffer, at: number, length = 4): string {
  return bytes.toString('latin1', at, at + length);
}

const IDAT = 0x49444154;
const IEND = 0x49454e44;

function readPng(bytes: Buffer): Picture | null {
  if (textAt(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || textAt(bytes, 12) !== 'IHDR') return null;
  let hasPixels = false;
  let at = 8;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const type = bytes.readUInt32BE(at + 4);
    // A chunk has a length, a type and a checksum in addition to its data.
    at += 12 + bytes.readUInt32BE(at);
    if (at > bytes.length) return null;
    if (type === IDAT) hasPixels = true;
    if (type === IEND && hasPixels)
      return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  return null;
}

const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;

function readGif(bytes: Buffer): Picture | null {
  if (!/^GIF8[79]a$/.test(textAt(bytes, 0, 6))) return null;
  const colorTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let hasFrame = false;
  let parts = 0;
  let at = 13 + colorTableBytes(bytes.readUInt8(10));
  for (;;) {
    const block = bytes.readUInt8(at);
    if (block === GIF_EXTENSION) at += 2;
    else if (block === GIF_FRAME) at += 11 + colorTableBytes(bytes.readUInt8(at + 9));
    else break;
    if (block === GIF_FRAME) hasFrame = true;
    let length: number;
    do {
      if (++parts > MAX_PARTS) return null;
      length = bytes.readUInt8(at);
      at += 1 + length;
    } while (length > 0);
  }
  return hasFrame ? { format: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : null;
}

const SCAN = 0xda;

function readJpeg(bytes: Buffer): Picture | null {
  if (textAt(bytes, 0, 3) !== '\xff\xd8\xff') return null;
  let picture: Picture | null = null;
  let at = 2;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const marker = bytes.readUInt16BE(at) - 0xff00;
    // Skips fill bytes, and the bytes that libjpeg skips.
    if (marker <= 0 || marker === 0xff) at++;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (marker === SCAN) return picture !== null && hasEndOfJpeg(bytes, at) ? picture : null;
    else {
      if (isFrame(marker))
        picture = {
          ...{ format: 'jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) },
        };
      at += 2 + bytes.readUInt16BE(at + 2);
    }
  }
  return null;
}

/** Whether a JPEG marker begins a frame: SOF0 to SOF15. Three numbers among them are other markers. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Whether the marker EOI follows a scan, which cannot contain it. It need not be the last: cameras append films. */
function hasEndOfJpeg(bytes: Buffer, scanAt: number): boolean {
  // Native searches take ten times longer over bytes that were chosen for it.
  for (let at = bytes.length - 2; at > scanAt; at--)
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  return false;
}

function readWebp(bytes: Buffer): Picture | null {
  if (textAt(bytes, 0) !== 'RIFF' || textAt(bytes, 8) !== 'WEBP') return null;
  const chunkBytes = bytes.readUInt32LE(16);
  if (8 + bytes.readUInt32LE(4) > bytes.length || 20 + chunkBytes > bytes.length) return null;
  const type = textAt(bytes, 12);
  if (type === 'VP8X' && chunkBytes >= 10)
    return { format: 'webp', width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (type === 'VP8 ' && chunkBytes >= 10)
    return {
      ...{ format: 'webp', width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff },
    };
  if (type === 'VP8L' && chunkBytes >= 5 && bytes[20] === 0x2f) {
    const size = bytes.readUInt32LE(21);
    return { format: 'webp', width: (size & 0x3fff) + 1, height: ((size >> 14) & 0x3fff) + 1 };
  }
  return null;
}

/** A box of ISO/IEC 14496-12: its type, and the offsets where its content begins and ends. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The number of parts of one file that may still be read. */
interface Parts {
  remaining: number;
}

/** Reads the boxes in a part of the file. @throws RangeError for a box that ends after that part, and after too many boxes */
function* boxesIn(bytes: Buffer, { start, end }: Omit<Box, 'type'>, parts: Parts): Generator<Box> {
  for (let at = start; at + 8 <= end; ) {
    if (parts.remaining-- === 0) throw new RangeError('Too many boxes');
    const statedSize = bytes.readUInt32BE(at);
    const headerBytes = statedSize === 1 ? 16 : 8;
    const size =
      statedSize === 1
        ? Number(bytes.readBigUInt64BE(at + 8))
        : statedSize === 0 && end === bytes.length
          ? end - at
          : statedSize;
    if (size < headerBytes || at + size > end) throw new RangeError('The box ends early');
    yield { type: textAt(bytes, at + 4), start: at + headerBytes, end: at + size };
    at += size;
  }
}

const AVIF_BRANDS = new Set(['avif', 'avis', 'avio']);

function readAvif(bytes: Buffer): Picture | null {
  if (textAt(bytes, 4) !== 'ftyp') return null;
  const parts = { remaining: MAX_AVIF_PARTS };
  const [fileType, ...others] = boxesIn(bytes, { start: 0, end: bytes.length }, parts);
  const meta = others.find(({ type }) => type === 'meta');
  if (fileType === undefined || meta === undefined || !hasBrand(bytes, fileType)) return null;
  // The content of this box begins with a version and flags.
  const inner = [...boxesIn(bytes, { start: meta.start + 4, end: meta.end }, parts)];
  const properties = inner.find(({ type }) => type === 'iprp');
  const primary = inner.find(({ type }) => type === 'pitm');
  const hasPixels = [...others, ...inner].some(({ type }) => type === 'mdat' || type === 'idat');
  if (properties === undefined || primary === undefined || !hasPixels) return null;
  const size = sizeOf(bytes, properties, itemAt(bytes, primary.start, primary.start + 4), parts);
  return size === null
    ? null
    : { format: 'avif', width: bytes.readUInt32BE(size + 4), height: bytes.readUInt32BE(size + 8) };
}

/** Whether one of the first brands of a file is AVIF's. */
function hasBrand(bytes: Buffer, { start, end }: Box): boolean {
  const last = Math.min(end, start + 4 * MAX_AVIF_BRANDS);
  // The box has the major brand, a version, and the compatible brands.
  for (let at = start; at + 4 <= last; at += at === start ? 8 : 4)
    if (AVIF_BRANDS.has(textAt(bytes, at))) return true;
  return false;
}

/** The id of an item. Its length depends on the version of the box at `box`. */
function itemAt(bytes: Buffer, box: number, at: number): number {
  return bytes[box] === 0 ? bytes.readUInt16BE(at) : bytes.readUInt32BE(at);
}

/** The offset of the content of the box with an item's size; null without such a box. */
function sizeOf(bytes: Buffer, properties: Box, item: number, parts: Parts): number | null {
  const inner = [...boxesIn(bytes, properties, parts)];
  const associated = new Set<number>();
  for (const { type, start } of inner) if (type === 'ipma') associate(bytes, start, item, associated, parts);
  for (const container of inner) {
    if (container.type !== 'ipco') continue;
    let number = 0;
    for (const { type, start } of boxesIn(bytes, container, parts))
      if (associated.has(++number) && type === 'ispe') return start;
  }
  return null;
}

/** Adds the numbers of an item's properties, which begin with 1. */
function associate(bytes: Buffer, box: number, item: number, associated: Set<number>, parts: Parts): void {
  const idBytes = bytes[box] === 0 ? 2 : 4;
  const isLong = (bytes.readUInt8(box + 3) & 1) === 1;
  let at = box + 8;
  for (let entries = bytes.readUInt32BE(box + 4); entries > 0; entries--) {
    if (parts.remaining-- === 0) throw new RangeError('Too many associations');
    const isOfItem = itemAt(bytes, box, at) === item;
    const count = bytes.readUInt8(at + idBytes);
    at += idBytes + 1;
    const end = at + count * (isLong ? 2 : 1);
    // The first bit says whether the property is essential.
    if (isOfItem)
      for (; at < end; at += isLong ? 2 : 1)
        associated.add(isLong ? bytes.readUInt16BE(at) & 0x7fff : bytes.readUInt8(at) & 0x7f);
    at = end;
  }
}
