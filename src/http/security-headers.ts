// Security headers of every response: browsers must not run, frame or sniff it, or leak its URL. A page replaces the
// Content-Security-Policy here, which allows nothing, by its own (W3C CSP3, OWASP Secure Headers).
import { isServiceHost } from '../auth/hosts.ts';
import type { Config } from '../config/config.ts';
import { isBelowAuthorizationServer } from '../oauth/endpoints.ts';

type Headers = Readonly<Record<string, string>>;

/** Browser features that our pages do not use. GraphiQL copies to the clipboard, so that is not in the list. */
const UNUSED_FEATURES = 'camera display-capture geolocation hid microphone midi payment serial usb'.split(
  ' ',
);

/** The headers of every response that does not set them itself. `Cross-Origin-Resource-Policy` does not apply to CORS requests. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
} as const satisfies Headers;

/** An application may open the sign-in in a popup window and wait for the result, so its opener must stay connected. */
const PAGE_HEADERS = { 'Cross-Origin-Opener-Policy': 'unsafe-none' };
/** One year. Without subdomains: each host sends its own header. */
const HTTPS_ONLY = { 'Strict-Transport-Security': 'max-age=31536000' };

/**
 * The headers of an answer of REST or GraphQL.
 * @param url as the client sees it. HSTS is only sent over https (RFC 6797 §7.2), and not for a customer's own domain, which may later be
 *   served elsewhere without TLS
 */
export function apiHeaders(config: Config, { protocol, hostname }: URL): Headers {
  return { ...SECURITY_HEADERS, ...(protocol === 'https:' && isOurs(config, hostname) && HTTPS_ONLY) };
}

/** The headers of any response. @param url as for `apiHeaders` */
export function securityHeaders(config: Config, url: URL): Headers {
  return {
    ...apiHeaders(config, url),
    ...(isBelowAuthorizationServer(config.authPath, url.pathname) && PAGE_HEADERS),
  };
}

function isOurs(config: Config, hostname: string): boolean {
  return isServiceHost(config, hostname) || hostname.endsWith(`.${config.serviceHost}`);
}
