// Limits on how often something may be tried: at one account, from one network, by all. Tries are counted in the store, so that
// the limits hold over all processes together. How often is for those to say who ask: sign-in.ts, oauth-admission.ts.
import { isIPv6 } from 'node:net';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { countTry } from '../store/accounts/sign-in-failures.ts';

export interface Limit {
  /** Tries within the window; one more is refused. */
  readonly most: number;
  readonly windowMs: number;
  /** The message of the refusal. */
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
 * The key that tries from the network of an address are counted under. There are 65,536 such keys for each thing that can be
 * tried, so that somebody with very many networks causes no more rows. Which networks share a key depends on the secret key.
 * @param what is tried
 */
export function networkKey({ keyring }: App, what: string, address: string | undefined): string {
  const mac = Buffer.from(keyring.sign('network', toNetwork(address)), 'base64url');
  return `${what} from ${mac.readUInt16BE()}`;
}

/** Counts a try. @returns whether it is within the limit */
export async function isFewTries(app: App, key: string, { most, windowMs }: Limit): Promise<boolean> {
  return (await countTry(app.store, key, app.clock(), windowMs)).count <= most;
}

/** The network of an address: of IPv6 the first 64 bits, as whoever has one address of a /64 has all of them. */
export function toNetwork(address = 'unknown'): string {
  if (!address.includes(':')) return address;
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
