// UTF-8 as it comes from PostgreSQL and goes to the client: strings of bytes, a character a byte (latin1). What is passed
// on need not be decoded; such strings are half the size of decoded ones and written without being encoded again. Pure.

/** UTF-8, a character a byte. ASCII is itself. */
export type Bytes = string;

const ASCII = /^[\0-\x7f]*$/;

/** The text that these bytes are. */
export function decodeUtf8(bytes: Bytes): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The bytes that this text is; a surrogate that stands alone becomes U+FFFD. */
export function encodeUtf8(text: string): Bytes {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The bytes for a socket or a file. */
export function toBuffer(bytes: Bytes): Uint8Array<ArrayBuffer> {
  return Buffer.from(bytes, 'latin1');
}
