// Predicates for loopback hosts, in the form of URL.hostname: lower case, IPv6 in brackets. Pure.

/** Whether a host in a redirect URI or an issuer is loopback, where plain http is safe (RFC 8252 §7.3, §8.3). */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Whether a host is any loopback address (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopbackAddress(hostname: string): boolean {
  return hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** Whether an origin, in the form of browsers, is a page on this machine, on any port. */
export function isLoopbackOrigin(origin: string): boolean {
  const [, hostname = ''] = /^https?:\/\/(\[[\da-f:]+\]|[^:/]+)(?::\d{1,5})?$/.exec(origin) ?? [];
  return isLoopbackHost(hostname);
}
