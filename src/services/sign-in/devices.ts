// Devices that a person has signed in with before (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). While an attacker
// elsewhere guesses the password, the person can still sign in on these. The cookie is signed and is not a credential: it lists one entry
// for each person who signed in on the device.
import type { App } from '../../context.ts';

/** The person who signs in. */
interface Owner {
  readonly publicId: string;
  /** Sign-ins before this do not count. */
  readonly sessionsEndedAt: Date | null;
}

const PURPOSE = 'device';
const LIFE_MS = 180 * 86_400_000;
/** How many people may share a device; the oldest sign-in is dropped. */
const MAX_OWNERS = 4;

/** The lifetime of the cookie, in seconds. */
export const DEVICE_LIFE_SECONDS = LIFE_MS / 1_000;

/** One person's sign-in with a device. */
interface Device {
  readonly publicId: string;
  readonly at: number;
  readonly name: string;
  readonly token: string;
}

/**
 * The cookie's value after a sign-in. @param kept the value that the browser sent, untrusted; '' for none
 * @param at when the sign-in began: if the password is replaced after that, this sign-in does not count
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

/** The name of the device if this person has signed in with it before, or null. @param kept the cookie's value, untrusted */
export function findDevice(app: App, { publicId, sessionsEndedAt }: Owner, kept: string): string | null {
  const since = Math.max(app.clock().getTime() - LIFE_MS, sessionsEndedAt?.getTime() ?? 0);
  const found = devicesIn(app, kept).find((device) => device.publicId === publicId && device.at > since);
  return found?.name ?? null;
}

/** The entries with a valid signature. */
function devicesIn(app: App, kept: string): Device[] {
  return kept.split('~', MAX_OWNERS).flatMap((token) => {
    const [publicId = '', at = '', name = '', signature = '', ...more] = token.split('.', 5);
    const isOurs =
      more.length === 0 && app.keyring.isSigned(PURPOSE, [publicId, at, name].join('.'), signature);
    return isOurs ? [{ publicId, at: Number(at), name, token }] : [];
  });
}
