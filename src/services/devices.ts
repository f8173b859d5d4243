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

/** One person's sign-in with a device. */
interface Device {
  readonly publicId: string;
  readonly at: number;
  readonly name: string;
  readonly token: string;
}

/**
 * What the device is to keep from now on. @param kept what it says that it keeps so far, '' for nothing
 * @param at when the password was asked for: one that is replaced meanwhile makes it no such device
 */
export function rememberDevice(
  app: App,
  { publicId }: Pick<Owner, 'publicId'>,
  kept: string,
  at: Date,
): string {
  const text = [publicId, at.getTime(), crypto.randomUUID()].join('.');
  const others = devicesIn(app, kept).filter((device) => device.publicId !== publicId);
  const tokens = [`${text}.${app.keyring.sign(PURPOSE, text)}`, ...others.map(({ token }) => token)];
  return tokens.slice(0, MAX_OWNERS).join('~');
}

/** The name of the device if its owner has signed in with it before, or null. @param kept what it says that it keeps */
export function findDevice(app: App, { publicId, sessionsEndedAt }: Owner, kept: string): string | null {
  const since = Math.max(app.clock().getTime() - LIFE_MS, sessionsEndedAt?.getTime() ?? 0);
  const found = devicesIn(app, kept).find((device) => device.publicId === publicId && device.at > since);
  return found?.name ?? null;
}

/** Those that we have signed. */
function devicesIn(app: App, kept: string): Device[] {
  return kept.split('~', MAX_OWNERS).flatMap((token) => {
    const [publicId = '', at = '', name = '', signature = '', ...more] = token.split('.', 5);
    const isOurs =
      more.length === 0 && app.keyring.isSigned(PURPOSE, [publicId, at, name].join('.'), signature);
    return isOurs ? [{ publicId, at: Number(at), name, token }] : [];
  });
}
