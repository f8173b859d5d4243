// The cookie that marks browsers in which people have signed in before (services/sign-in/devices.ts). It remains when a session ends or a
// person signs out. It is not a credential.
import type { App } from '../context.ts';
import { DEVICE_LIFE_SECONDS, rememberDevice } from '../services/sign-in/devices.ts';
import type { OauthRequest } from './oauth-request.ts';

/** The cookie's value, '' when there is none. */
export function readDevices(app: App, { raw }: OauthRequest): string {
  const start = `${cookieName(app)}=`;
  const cookies = (raw.headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? '';
}

/** Adds the cookie to the response of a sign-in. @param loginTs the time of the sign-in, in seconds, from `loginTsNow` */
export function withDevice(
  app: App,
  request: OauthRequest,
  answer: Response,
  { user, loginTs }: { readonly user: { readonly publicId: string }; readonly loginTs: number },
): Response {
  const value = rememberDevice(app, user, readDevices(app, request), new Date(loginTs * 1_000));
  const attributes = [`path=/`, `max-age=${DEVICE_LIFE_SECONDS}`, 'samesite=lax', 'httponly'];
  if (isSecure(app)) attributes.push('secure');
  answer.headers.append('set-cookie', [`${cookieName(app)}=${value}`, ...attributes].join('; '));
  return answer;
}

/** The prefix prevents other hosts of the domain from setting it (RFC 6265bis §4.1.3.2). */
function cookieName(app: App): string {
  return `${isSecure(app) ? '__Host-' : ''}fgw_device`;
}

function isSecure({ config }: App): boolean {
  return config.authUrl.startsWith('https:');
}
