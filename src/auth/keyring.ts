// Encrypts values for the store and signs values for browsers, with the configured secret keys. Each purpose has its own keys, derived
// from the secret keys (HKDF, RFC 5869).
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export type Keyring = ReturnType<typeof createKeyring>;

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param readSecrets called when a key is first needed; returns at least one secret key: the first encrypts and signs, all are accepted */
export function createKeyring(readSecrets: () => readonly string[]) {
  const derived = new Map<string, readonly Buffer[]>();

  /** The keys for a purpose, one from each secret key; also for libraries that sign by themselves. */
  function keysFor(purpose: string): readonly Buffer[] {
    const cached = derived.get(purpose);
    if (cached !== undefined) return cached;
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
    /** Encrypts with the first secret key (AES-256-GCM). */
    seal(purpose: string, plain: Uint8Array): Uint8Array<ArrayBuffer> {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', firstFor(purpose), iv);
      return new Uint8Array(Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
    },
    /** Decrypts a value that was encrypted for this purpose with any of the secret keys. @throws Error when none of them fits */
    open(purpose: string, sealed: Uint8Array): Uint8Array<ArrayBuffer> {
      const bytes = Buffer.from(sealed);
      for (const key of keysFor(purpose)) {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        try {
          const body = bytes.subarray(IV_BYTES, -TAG_BYTES);
          return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
        } catch {
          // Perhaps another key fits.
        }
      }
      throw new Error(`None of the secret keys opens this ${purpose}.`);
    },
    /** The HMAC-SHA256 of the text with the first secret key, in base64url. */
    sign: (purpose: string, text: string): string => hmac(firstFor(purpose), text).toString('base64url'),
    /** Whether `signature` is the result of `sign` with any of the secret keys. */
    isSigned(purpose: string, text: string, signature: string): boolean {
      const received = Buffer.from(signature, 'base64url');
      return keysFor(purpose).some((key) => {
        const right = hmac(key, text);
        return received.length === right.length && timingSafeEqual(received, right);
      });
    },
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
