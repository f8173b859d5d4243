// Checks whether SERVICE_HOST, AUTH_URL, HOST and TRUST_PROXY are consistent. Pure.
import type { Config } from '../../config/config.ts';
import { isLoopbackAddress, isLoopbackHost } from '../../config/loopback.ts';
import { type Finding, findingsOf, findingsOrOk } from './findings.ts';

const { ok, warn } = findingsOf('addresses');

/** Findings for probable mistakes; a single `ok` if there are none. */
export function checkAddresses({
  authUrl,
  authHostname,
  host,
  port,
  serviceHost,
  trustProxy,
}: Config): Finding[] {
  const { protocol, port: authPort } = new URL(authUrl);
  const isLocal = serviceHost === 'localhost';
  const listensLocally = isLoopbackAddress(host === '::1' ? '[::1]' : host) || host === 'localhost';
  return findingsOrOk(ok(`SERVICE_HOST ${serviceHost}, AUTH_URL ${authUrl}, listening on ${host}`), [
    isLocal &&
      !listensLocally &&
      warn(
        `HOST=${host} is reached from other machines, and SERVICE_HOST is localhost: they get 421`,
        'set SERVICE_HOST to the name by which the service is reached',
      ),
    protocol === 'http:' &&
      !isLoopbackHost(authHostname) &&
      warn(
        `AUTH_URL is plain http on ${authHostname}: passwords and tokens cross the network unencrypted`,
        'put a proxy with TLS before the gateway, and set AUTH_URL to its https address',
      ),
    protocol === 'http:' &&
      isLoopbackHost(authHostname) &&
      port !== 0 &&
      authPort !== String(port) &&
      warn(
        `AUTH_URL leads to port ${authPort || '80'} of this machine, and the gateway listens on ${port}`,
        'name the same port in both, unless something forwards the one to the other',
      ),
    protocol === 'https:' &&
      trustProxy.rules.length === 0 &&
      warn(
        'AUTH_URL is https, so a proxy is before the gateway, and TRUST_PROXY names none: all clients seem to come from one address, and links say http',
        'set TRUST_PROXY to the address that the proxy sends from, such as 127.0.0.1',
      ),
    // Documentation addresses (RFC 5737, RFC 3849) belong to no one: a list that contains them contains every address.
    (trustProxy.check('203.0.113.1', 'ipv4') || trustProxy.check('2001:db8::1', 'ipv6')) &&
      warn(
        'TRUST_PROXY contains every address: each client can claim any other address',
        'name only the addresses of your proxies',
      ),
  ]);
}
