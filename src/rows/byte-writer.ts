// A growing, reusable byte buffer, for answers and for rows from PostgreSQL. It causes less garbage than one string for each part. Pure.

const INITIAL_BYTES = 64 * 1024;
/** `clear` replaces a larger buffer by a small one. */
const MAX_REUSED_BYTES = 1024 * 1024;
/** Up to this length, copying byte by byte is faster than a call of `copy`. */
const MAX_LOOP_BYTES = 32;
/** The most bytes of UTF-8 for one UTF-16 code unit. */
const UTF8_BYTES = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Lower code units are control characters, which JSON escapes. */
const SPACE = 0x20;

export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;

  /** The number of bytes written since the last `clear`. */
  get length(): number {
    return this.#length;
  }

  /** Discards all bytes. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_REUSED_BYTES) this.#bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  /** Discards the bytes from a position on. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** The bytes themselves, valid until others are written. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of the bytes. */
  toBuffer(): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafe(this.#length);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    return bytes;
  }

  /** Adds bytes. */
  add(bytes: Uint8Array): void {
    const { length } = bytes;
    let at = this.#reserve(length);
    const own = this.#bytes;
    this.#length = at + length;
    if (length > MAX_LOOP_BYTES) own.set(bytes, at);
    else for (let i = 0; i < length; i++) own[at++] = bytes[i] ?? 0;
  }

  /** Adds the bytes of `source` from `start` up to `end`, exclusive. */
  addPart(source: Buffer, start: number, end: number): void {
    let at = this.#reserve(end - start);
    const bytes = this.#bytes;
    this.#length = at + end - start;
    if (end - start > MAX_LOOP_BYTES) source.copy(bytes, at, start, end);
    else for (let i = start; i < end; i++) bytes[at++] = source[i] ?? 0;
  }

  /** Adds one byte. */
  addByte(byte: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = byte;
    this.#length = at + 1;
  }

  /** Replaces the byte at a position. */
  setByte(at: number, byte: number): void {
    this.#bytes[at] = byte;
  }

  /** Adds text as UTF-8. */
  addText(text: string): void {
    const at = this.#reserve(text.length * UTF8_BYTES);
    this.#length = at + this.#bytes.write(text, at);
  }

  /** Adds UTF-8 text as a JSON string. Returns false, and adds nothing, when a character needs escaping. */
  addUnescaped(source: Buffer, start: number, end: number): boolean {
    let at = this.#reserve(end - start + 2);
    const bytes = this.#bytes;
    bytes[at++] = QUOTE;
    for (let i = start; i < end; i++) {
      const byte = source[i] ?? 0;
      if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return false;
      bytes[at++] = byte;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
    return true;
  }

  /** Ensures space for `count` more bytes, and returns their position. */
  #reserve(count: number): number {
    const at = this.#length;
    if (at + count > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(at + count, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return at;
  }
}
