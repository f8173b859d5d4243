// API keys as text: a prefix that secret scanners know, 256 random bits, a checksum. The store has only their hash.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'fgw_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43; // 62^43 > 2^256
const CHECKSUM_LENGTH = 6; // 62^6 > 2^32
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const HINT_LENGTH = PREFIX.length + 4;
const LOOKS_LIKE_ONE = new RegExp(`${PREFIX}[0-9A-Za-z]{12,}`, 'g');

export interface NewToken {
  /** Shown once, never stored. */
  readonly token: string;
  readonly hash: Uint8Array<ArrayBuffer>;
  /** Enough to tell keys apart in a list, too little to guess one. */
  readonly hint: string;
}

/** A new random key. */
export function createToken(): NewToken {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  const body = PREFIX + secret;
  const token = body + checksum(body);
  return { token, hash: sha256(token), hint: token.slice(0, HINT_LENGTH) };
}

/** The hash to look a key up by, or null when it cannot be a key of ours (wrong form or checksum: no store needed). */
export function hashOf(token: string): Uint8Array<ArrayBuffer> | null {
  if (!FORM.test(token)) return null;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === token.slice(-CHECKSUM_LENGTH) ? sha256(token) : null;
}

/** The text with every key of ours in it, whole or not, cut to its hint: for what is logged. */
export function redactTokens(text: string): string {
  return text.replace(LOOKS_LIKE_ONE, (token) => `${token.slice(0, HINT_LENGTH)}[redacted]`);
}

/** Random keys need no slow hash: SHA-256 suffices (DESIGN §3). */
function sha256(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', text, 'buffer'));
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
