// Which hosts are the machine itself, as a URL names them (lower case, IPv6 in brackets). Pure.

/** Names of this machine in addresses that others are given: plain http is safe there (RFC 8252 §7.3, §8.3). */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Any address at which this machine reaches itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopbackAddress(hostname: string): boolean {
  return hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
