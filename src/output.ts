// What goes to a client, put together in bytes: one buffer that is used again, in place of a string for every part of an
// answer. Large answers leave nothing behind for the garbage collector but themselves. Pure.
import type { Bytes } from './bytes.ts';

const INITIAL_BYTES = 64 * 1024;
/** What a buffer that had to grow is cut back to when it begins anew. */
const KEPT_BYTES = 1024 * 1024;
/** Longer strings are copied by a call, which costs as much as so many characters. */
const SHORT = 24;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PLAIN = 0x20;

export class Output {
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
    const { length } = bytes;
    const at = this.#reserve(length);
    this.#bytes.set(bytes, at);
  }

  /** Adds a part of a buffer. */
  addPart(bytes: Buffer, start: number, end: number): void {
    const at = this.#reserve(end - start);
    bytes.copy(this.#bytes, at, start, end);
  }

  /** Adds one byte. */
  addByte(byte: number): void {
    this.#bytes[this.#reserve(1)] = byte;
  }

  /** Adds bytes that are a string. */
  addText(text: Bytes, start = 0, end = text.length): void {
    let at = this.#reserve(end - start);
    const bytes = this.#bytes;
    if (end - start > SHORT) bytes.write(text.slice(start, end), at, 'latin1');
    else for (let i = start; i < end; i++) bytes[at++] = text.charCodeAt(i);
  }

  /** Adds UTF-8 text as a JSON string. Adds nothing, and says false, where something in it has to be escaped. */
  addPlain(text: Bytes, start: number, end: number): boolean {
    const before = this.#length;
    let at = this.#reserve(end - start + 2);
    const bytes = this.#bytes;
    bytes[at++] = QUOTE;
    for (let i = start; i < end; i++) {
      const byte = text.charCodeAt(i);
      if (byte < FIRST_PLAIN || byte === QUOTE || byte === BACKSLASH) {
        this.#length = before;
        return false;
      }
      bytes[at++] = byte;
    }
    bytes[at] = QUOTE;
    return true;
  }

  /** Makes room for so many bytes, and says where it is. */
  #reserve(count: number): number {
    const at = this.#length;
    this.#length = at + count;
    if (this.#length > this.#bytes.length) this.#grow();
    return at;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, this.#bytes.length * 2));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}
