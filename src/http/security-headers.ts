// What browsers are told with every answer, on every face: to run, frame, sniff and leak nothing of it. A page names by its own
// Content-Security-Policy what it may load, in place of the one here, which allows nothing (W3C CSP3, OWASP Secure Headers).
import type { Config } from '../config/config.ts';
import { isServiceHost } from '../config/service-hosts.ts';
import { isBelowAuthorizationServer } from '../oauth/endpoints.ts';

type Headers = Readonly<Record<string, string>>;

/** What no page of ours uses. GraphiQL copies to the clipboard. */
const UNUSED = 'camera display-capture geolocation hid microphone midi payment serial usb'.split(' ');

/** Of every answer that does not set them itself. A script that fetches an answer by CORS is not held to `-Resource-Policy`. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': UNUSED.map((feature) => `${feature}=()`).join(', '),
} as const satisfies Headers;

/** An application may open the sign-in in a window of its own, and waits for what becomes of it. */
const OF_AUTHORIZATION_SERVER: Headers = {
  ...SECURITY_HEADERS,
  'Cross-Origin-Opener-Policy': 'unsafe-none',
};

/** A year. Subdomains are not included: each says it for itself. */
const HTTPS_ONLY = { 'Strict-Transport-Security': 'max-age=31536000' };
const OVER_HTTPS: Headers = { ...SECURITY_HEADERS, ...HTTPS_ONLY };
const OF_AUTHORIZATION_SERVER_OVER_HTTPS: Headers = { ...OF_AUTHORIZATION_SERVER, ...HTTPS_ONLY };

/**
 * The headers of an answer; one of four constants, so that they cost nothing.
 * @param url as the client sees it. Over https its browser is told to stay there (RFC 6797 §7.2 forbids it over http), but not of a
 *   customer's own domain, which may have to be served without TLS elsewhere one day
 */
export function securityHeaders(config: Config, { protocol, hostname, pathname }: URL): Headers {
  const isPages = isBelowAuthorizationServer(config.authPath, pathname);
  if (protocol !== 'https:' || !isOurs(config, hostname))
    return isPages ? OF_AUTHORIZATION_SERVER : SECURITY_HEADERS;
  return isPages ? OF_AUTHORIZATION_SERVER_OVER_HTTPS : OVER_HTTPS;
}

function isOurs(config: Config, hostname: string): boolean {
  return isServiceHost(config, hostname) || hostname.endsWith(`.${config.serviceHost}`);
}
