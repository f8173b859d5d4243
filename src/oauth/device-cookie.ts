// The cookie by which a browser is known as one that people have signed in with before (services/devices.ts). It outlives
// sessions and signing out, and is no credential.
import type { App } from '../context.ts';
import { DEVICE_LIFE_SECONDS, rememberDevice } from '../services/devices.ts';
import type { Visit } from './oauth-request.ts';

/** What the browser keeps, '' for nothing. */
export function keptDevices(app: App, { request }: Visit): string {
  const start = `${nameIn(app)}=`;
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? '';
}

/** The answer to somebody who has signed in, with the cookie. @param loginTs as `loginTsNow` gave it, in seconds */
export function keepDevice(
  app: App,
  visit: Visit,
  answer: Response,
  { user, loginTs }: { readonly user: { readonly publicId: string }; readonly loginTs: number },
): Response {
  const value = rememberDevice(app, user, keptDevices(app, visit), new Date(loginTs * 1_000));
  const attributes = [`path=/`, `max-age=${DEVICE_LIFE_SECONDS}`, 'samesite=lax', 'httponly'];
  if (isSecure(app)) attributes.push('secure');
  answer.headers.append('set-cookie', [`${nameIn(app)}=${value}`, ...attributes].join('; '));
  return answer;
}

/** The prefix keeps other hosts of the domain from setting it (RFC 6265bis §4.1.3.2). */
function nameIn(app: App): string {
  return `${isSecure(app) ? '__Host-' : ''}fgw_device`;
}

function isSecure({ config }: App): boolean {
  return config.authUrl.startsWith('https:');
}
