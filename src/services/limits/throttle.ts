// Limits how often something may be tried: for one account, from one network, or in total. Attempts are counted in the store, so the
// limits hold across all processes. The callers choose the limits: sign-in.ts, oauth-admission.ts.
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { toNetwork } from '../../network/network-addresses.ts';
import { countTry } from '../../store/accounts/sign-in-failures.ts';

export { toNetwork };

export interface Limit {
  /** Allowed attempts within the window; the next one is refused. */
  readonly most: number;
  readonly windowMs: number;
  /** The message of the error. */
  readonly message: string;
}

/**
 * Counts an attempt. @param key what is tried, and by whom or from where
 * @throws AppError `too_many_requests` saying when the next attempt is allowed
 */
export async function requireWithinLimit(app: App, key: string, limit: Limit): Promise<void> {
  const now = app.clock();
  const { count, endsAt } = await countTry(app.store, key, now, limit.windowMs);
  if (count <= limit.most) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000));
  throw new AppError('too_many_requests', limit.message, { retryAfterSeconds });
}

/**
 * The key for counting attempts from the network of an address. There are only 65,536 keys for each kind of attempt, so that an attacker
 * with very many networks cannot create more rows. The secret key decides which networks share a key.
 * @param what the kind of attempt
 */
export function networkKey({ keyring }: App, what: string, address: string | undefined): string {
  const mac = Buffer.from(keyring.sign('network', toNetwork(address)), 'base64url');
  return `${what} from ${mac.readUInt16BE()}`;
}

/** Counts an attempt. @returns whether it is within the limit */
export async function isWithinLimit(app: App, key: string, { most, windowMs }: Limit): Promise<boolean> {
  return (await countTry(app.store, key, app.clock(), windowMs)).count <= most;
}
