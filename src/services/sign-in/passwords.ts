// Password hashing: argon2id (RFC 9106) as PHC strings, with at least the parameters of OWASP's cheat sheet on password storage. The work
// runs on libuv's threads, and takes as long for an account that does not exist.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createFairQueue, type FairQueue } from '../../concurrency/fair-queue.ts';
import { invalid } from '../../errors.ts';

/** NIST SP 800-63B §3.1.1.2 asks for at least 8 with a second factor; there is none here. */
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 200;

/** What a new hash costs; the memory is in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Node supports only version 1.3 of argon2. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** A hash that no password matches: verifying against it takes as long as against a real one. */
export const DUMMY_HASH = toPhc(Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES));

const derive = promisify(argon2);

/** Validates a new password. @throws AppError `invalid` blaming `password` */
export function parsePassword(password: string, email: string): string {
  const { length } = [...password.normalize('NFKC')];
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw invalid('password', {
      code: length < MIN_PASSWORD_LENGTH ? 'too_short' : 'too_long',
      message: `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
    });
  if (password.toLowerCase().trim() === email.toLowerCase())
    throw invalid('password', {
      code: 'not_allowed',
      message: 'The password must not be the e-mail address.',
    });
  return password;
}

/** The PHC string to store for a password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const work = { ...COST, message: toMessage(password), nonce: salt, tagLength: TAG_BYTES };
  return toPhc(salt, await derive('argon2id', work));
}

/** Whether the password matches `phc`, whatever its parameters. */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(phc) ?? [];
  const expected = Buffer.from(tag, 'base64');
  if (expected.length === 0) throw new Error('A stored password hash is no argon2id PHC string.');
  const found = await derive('argon2id', {
    message: toMessage(password),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(found, expected);
}

/** Normalizes the password: the same characters match, however a keyboard composes them (NIST SP 800-63B §3.1.1.2). */
function toMessage(password: string): string {
  return password.normalize('NFKC');
}

function toPhc(salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${text(salt)}$${text(tag)}`;
}

/**
 * The queue for password checks, fair between networks: each check takes 19 MiB and one of the process's four threads. One network may
 * try 50 times within a window (sign-in.ts), so it cannot fill the queue alone.
 */
export function createPasswordChecks(): FairQueue {
  return createFairQueue({
    concurrency: 2,
    concurrencyPerKey: 2,
    maxWaitingPerKey: 50,
    maxWaiting: 60,
    maxWaitMs: 10_000,
  });
}
