// How often something may be tried: by one account, from one network, by all. Counted in the store, so that many processes
// and many tries at once count as one.
import { isIPv6 } from 'node:net';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { countTry } from '../store/sign-in-failures.ts';

export interface Limit {
  /** Tries within the window; one more is refused. */
  readonly most: number;
  readonly windowMs: number;
  /** What whoever is refused is told. */
  readonly message: string;
}

/**
 * Counts a try. @param key what is tried, and by whom or from where
 * @throws AppError `too_many_requests` saying when the next one may be
 */
export async function requireFewTries(app: App, key: string, limit: Limit): Promise<void> {
  const now = app.clock();
  const { count, endsAt } = await countTry(app.store, key, now, limit.windowMs);
  if (count <= limit.most) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000));
  throw new AppError('too_many_requests', limit.message, { retryAfterSeconds });
}

/**
 * What the network of an address is counted under. There are 65,536 such keys for each thing that is tried, so that whoever
 * has more networks makes no more rows; which network shares a key with which, only the secret key says.
 */
export function networkKey({ keyring }: App, what: string, address: string | undefined): string {
  const mac = Buffer.from(keyring.sign('network', toNetwork(address)), 'base64url');
  return `${what} from ${mac.readUInt16BE()}`;
}

/** Counts a try. @returns whether it is within the limit */
export async function isFewTries(app: App, key: string, { most, windowMs }: Limit): Promise<boolean> {
  return (await countTry(app.store, key, app.clock(), windowMs)).count <= most;
}

/** The network that an address counts as: whoever has one IPv6 address has 2^64 of them. */
export function toNetwork(address = 'unknown'): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const all = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
