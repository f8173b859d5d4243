// Bytes put together in one buffer that is used again: answers on their way out, in place of a string for every part, and
// rows on their way in. Large ones leave nothing behind for the garbage collector but themselves. Pure.

const INITIAL_BYTES = 64 * 1024;
/** What had to grow beyond this begins small again. */
const KEPT_BYTES = 1024 * 1024;
/** More bytes than these are copied by a call, which costs as much as copying so many one by one. */
const FEW = 32;
/** UTF-8 needs at most so many bytes for one of a string's code units. */
const UTF8_BYTES = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PLAIN = 0x20;

export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;

  /** How many bytes there are. */
  get length(): number {
    return this.#length;
  }

  /** Begins anew. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  /** The bytes, in a buffer of their own. */
  toBuffer(): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafe(this.#length);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    return bytes;
  }

  /** Adds bytes. */
  add(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    this.#length = at + bytes.length;
  }

  /** Adds a part of a buffer. */
  addPart(source: Buffer, start: number, end: number): void {
    let at = this.#reserve(end - start);
    const bytes = this.#bytes;
    this.#length = at + end - start;
    if (end - start > FEW) source.copy(bytes, at, start, end);
    else for (let i = start; i < end; i++) bytes[at++] = source[i] ?? 0;
  }

  /** Adds one byte. */
  addByte(byte: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = byte;
    this.#length = at + 1;
  }

  /** Adds text as UTF-8. */
  addText(text: string): void {
    const at = this.#reserve(text.length * UTF8_BYTES);
    this.#length = at + this.#bytes.write(text, at);
  }

  /** Adds UTF-8 as a JSON string. Adds nothing, and says false, where something in it has to be escaped. */
  addPlain(source: Buffer, start: number, end: number): boolean {
    let at = this.#reserve(end - start + 2);
    const bytes = this.#bytes;
    bytes[at++] = QUOTE;
    for (let i = start; i < end; i++) {
      const byte = source[i] ?? 0;
      if (byte < FIRST_PLAIN || byte === QUOTE || byte === BACKSLASH) return false;
      bytes[at++] = byte;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
    return true;
  }

  /** Makes room for so many bytes behind those that are there, and says where. */
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
