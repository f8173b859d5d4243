// Devices that a person has signed in with before (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"): guessing
// at their account from elsewhere does not lock them out there. What a device keeps is signed, and no credential.
import type { App } from '../context.ts';

/** Whose device it is. */
interface Owner {
  readonly publicId: string;
  /** Devices from before do not count. */
  readonly sessionsEndedAt: Date | null;
}

const PURPOSE = 'device';
const LIFE_MS = 180 * 86_400_000;
/** How many people may share a device. */
const MAX_OWNERS = 4;

/** For how many seconds a device is worth keeping what `rememberDevice` gave it. */
export const DEVICE_LIFE_SECONDS = LIFE_MS / 1_000;

/**
 * What the device is to keep from now on. @param kept what it keeps so far, '' for nothing
 * @param at when the password was asked for: one that is replaced meanwhile makes it no such device
 */
export function rememberDevice(
  app: App,
  { publicId }: Pick<Owner, 'publicId'>,
  kept: string,
  at: Date,
): string {
  const text = [publicId, at.getTime(), crypto.randomUUID()].join('.');
  const others = tokensOf(kept).filter((token) => !token.startsWith(`${publicId}.`));
  return [`${text}.${app.keyring.sign(PURPOSE, text)}`, ...others].slice(0, MAX_OWNERS).join('~');
}

/** The name of the device if its owner has signed in with it before, or null. @param kept what the device says it keeps */
export function findDevice(app: App, owner: Owner, kept: string): string | null {
  const since = Math.max(app.clock().getTime() - LIFE_MS, owner.sessionsEndedAt?.getTime() ?? 0);
  for (const token of tokensOf(kept)) {
    const [publicId = '', at = '', name = '', signature = ''] = token.split('.');
    if (publicId !== owner.publicId || !(Number(at) > since)) continue;
    if (app.keyring.isSigned(PURPOSE, [publicId, at, name].join('.'), signature)) return name;
  }
  return null;
}

function tokensOf(kept: string): string[] {
  return kept.split('~', MAX_OWNERS).filter((token) => token !== '');
}
