// Base64 from bytes to bytes, for global ids and cursors in GraphQL answers. Pure.
import type { ByteWriter } from './byte-writer.ts';
import type { WriteJson } from './json-writers.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ALPHABETS = { base64: `${LETTERS}+/`, base64url: `${LETTERS}-_` } as const;
/** The padding, by the number of bytes in the last group of three. */
const PADDING = ['', '==', '='].map((text) => Buffer.from(text));
const NOTHING = Buffer.alloc(0);
const QUOTE = Buffer.from('"');

/** A writer of a JSON string: an ASCII prefix and the column's ASCII text in one of the encodings of RFC 4648 §4-5. */
export function writeBase64(prefix: string, encoding: 'base64' | 'base64url'): WriteJson {
  const alphabet = Buffer.from(ALPHABETS[encoding]);
  const padding = encoding === 'base64' ? PADDING : [];
  // Three bytes are four characters of Base64: the complete groups of the prefix are encoded once.
  const whole = prefix.length - (prefix.length % 3);
  const lead = Buffer.from(`"${Buffer.from(prefix.slice(0, whole)).toString(encoding)}`);
  const rest = Buffer.from(prefix.slice(whole));
  const restBits = rest.reduce((bits, byte) => (bits << 8) | byte, 0);
  return (out, bytes, start, end) => {
    out.add(lead);
    let bits = restBits;
    let count = rest.length;
    for (let at = start; at < end; at++) {
      bits = (bits << 8) | (bytes[at] ?? 0);
      count += 1;
      if (count < 3) continue;
      addBits(out, alphabet, bits, 4);
      bits = 0;
      count = 0;
    }
    if (count > 0) {
      addBits(out, alphabet, bits << (8 * (3 - count)), count + 1);
      out.add(padding[count] ?? NOTHING);
    }
    out.add(QUOTE);
  };
}

/** Adds the first `count` of the four characters that encode 24 bits. */
function addBits(out: ByteWriter, alphabet: Uint8Array, bits: number, count: number): void {
  for (let i = 0; i < count; i++) out.addByte(alphabet[(bits >> (18 - 6 * i)) & 63] ?? 0);
}
