// Encrypts what the store keeps and signs what browsers keep, with the secret keys of the configuration. Each purpose has keys
// of its own, derived from them (HKDF, RFC 5869).
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export interface Keyring {
  /** Encrypts with the first secret key (AES-256-GCM). */
  seal(purpose: string, plain: Uint8Array): Uint8Array<ArrayBuffer>;
  /** Decrypts what any of the secret keys has sealed for this purpose. @throws Error when none of them has */
  open(purpose: string, sealed: Uint8Array): Uint8Array<ArrayBuffer>;
  /** A base64url HMAC-SHA256 of the text by the first secret key. */
  sign(purpose: string, text: string): string;
  /** Whether `signature` is what `sign` gives, by any of the secret keys. */
  isSigned(purpose: string, text: string, signature: string): boolean;
  /** A key for a purpose from each of the secret keys, for libraries that sign themselves. */
  keysFor(purpose: string): readonly Buffer[];
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param readSecrets gives at least one when it is first needed; the first one seals and signs, all are accepted */
export function createKeyring(readSecrets: () => readonly string[]): Keyring {
  const derived = new Map<string, readonly Buffer[]>();

  function keysFor(purpose: string): readonly Buffer[] {
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const keys = readSecrets().map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, '', `funnel-gateway ${purpose}`, KEY_BYTES)),
    );
    derived.set(purpose, keys);
    return keys;
  }

  function firstFor(purpose: string): Buffer {
    const [first] = keysFor(purpose);
    if (first === undefined) throw new Error('There is no secret key.');
    return first;
  }

  return {
    keysFor,
    seal(purpose, plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', firstFor(purpose), iv);
      return new Uint8Array(Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed);
      for (const key of keysFor(purpose)) {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        try {
          const body = bytes.subarray(IV_BYTES, -TAG_BYTES);
          return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
        } catch {
          // Another key, perhaps.
        }
      }
      throw new Error(`None of the secret keys opens this ${purpose}.`);
    },
    sign: (purpose, text) => hmac(firstFor(purpose), text).toString('base64url'),
    isSigned(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      return keysFor(purpose).some((key) => {
        const right = hmac(key, text);
        return given.length === right.length && timingSafeEqual(given, right);
      });
    },
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
