// API keys, client secrets and the access tokens of legacy clients as text: a prefix that secret scanners recognize, 256 random bits, a
// checksum. The store has only their hash.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'fgw_';
const CLIENT_SECRET_PREFIX = 'fgs_';
const ACCESS_TOKEN_PREFIX = 'fgt_';
const CLIENT_ID_PREFIX = 'fgc_';
const CLIENT_ID_LENGTH = 22; // 62^22 > 2^128
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43; // 62^43 > 2^256
const CHECKSUM_LENGTH = 6; // 62^6 > 2^32
const FORM = formOf(PREFIX);
const CLIENT_SECRET_FORM = formOf(CLIENT_SECRET_PREFIX);
const ACCESS_TOKEN_FORM = formOf(ACCESS_TOKEN_PREFIX);
const HINT_LENGTH = PREFIX.length + 4;
/** API keys, client secrets and opaque access tokens, complete or in part, and signed JSON Web Tokens. */
const CREDENTIAL = new RegExp(
  `(?:${PREFIX}|${CLIENT_SECRET_PREFIX}|${ACCESS_TOKEN_PREFIX})[0-9A-Za-z]{12,}|(?<![\\w-])eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+`,
  'g',
);
/** The minimum length of codes and refresh tokens: 256 bits in base64url. */
const LONG_RUN = /[\w-]{43,}/g;

/** A quick test whether a text can contain any of these. */
const MAY_CONTAIN_CREDENTIAL = new RegExp(
  `${PREFIX}|${CLIENT_SECRET_PREFIX}|${ACCESS_TOKEN_PREFIX}|eyJ|[\\w-]{43}`,
);

export interface NewToken {
  /** Shown once, never stored. */
  readonly token: string;
  readonly hash: Uint8Array<ArrayBuffer>;
  /** Enough to distinguish keys in a list, too little to guess one. */
  readonly hint: string;
}

/** A new random key. */
export function createToken(): NewToken {
  return create(PREFIX);
}

/** A new random secret for an OAuth client. */
export function createClientSecret(): NewToken {
  return create(CLIENT_SECRET_PREFIX);
}

/** A new random access token that is no JWT. */
export function createOpaqueToken(): string {
  return create(ACCESS_TOKEN_PREFIX).token;
}

/** A new `client_id`: not a secret, but not guessable either. */
export function createClientId(): string {
  return CLIENT_ID_PREFIX + base62(BigInt(`0x${randomBytes(16).toString('hex')}`), CLIENT_ID_LENGTH);
}

/** The hash for looking up a key, or null when the text has the wrong form or checksum; that needs no store. */
export function hashOf(token: string): Uint8Array<ArrayBuffer> | null {
  return checkedHash(FORM, token);
}

/** The hash for comparing a client's secret, or null when the text has the wrong form or checksum. */
export function hashOfClientSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  return checkedHash(CLIENT_SECRET_FORM, secret);
}

/** The key under which the store has an opaque access token, or null when the text has the wrong form or checksum. */
export function opaqueTokenKey(token: string): string | null {
  const hash = checkedHash(ACCESS_TOKEN_FORM, token);
  return hash && Buffer.from(hash).toString('base64url');
}

/** The text for logs: all our keys, secrets, tokens and codes in it, even partial ones, are cut to their hints. */
export function redactTokens(text: string): string {
  if (!MAY_CONTAIN_CREDENTIAL.test(text)) return text;
  const redact = (token: string) => `${token.slice(0, HINT_LENGTH)}[redacted]`;
  // A long run of lower-case letters only is an id, as in a `traceparent`.
  const isRandom = (run: string) => /[a-z]/.test(run) && /[A-Z]/.test(run);
  return text.replace(CREDENTIAL, redact).replace(LONG_RUN, (run) => (isRandom(run) ? redact(run) : run));
}

function formOf(prefix: string): RegExp {
  return new RegExp(`^${prefix}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
}

function create(prefix: string): NewToken {
  const body = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  const token = body + checksum(body);
  return { token, hash: sha256(token), hint: token.slice(0, HINT_LENGTH) };
}

function checkedHash(form: RegExp, token: string): Uint8Array<ArrayBuffer> | null {
  if (!form.test(token)) return null;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === token.slice(-CHECKSUM_LENGTH) ? sha256(token) : null;
}

/** Random keys need no slow hash: SHA-256 is enough. */
function sha256(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', text, 'buffer'));
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
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

const JWT_FORM = /^[\w-]{2,}\.[\w-]{2,}\.[\w-]*$/;

/** Whether a credential has the compact form of a JWT (RFC 7515 §7.1); no API key has. */
export function isJwt(token: string): boolean {
  return JWT_FORM.test(token);
}
