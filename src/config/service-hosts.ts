// The service's own hosts, which serve every team. Pure.
import type { Config } from './config.ts';
import { isLoopbackAddress } from './loopback.ts';

/**
 * Whether a host, in the form of URL.hostname, belongs to no tenant: SERVICE_HOST and `accounts` below it, AUTH_URL's host, and every
 * loopback address if SERVICE_HOST is localhost.
 */
export function isServiceHost(
  { serviceHost, authHostname }: Pick<Config, 'serviceHost' | 'authHostname'>,
  hostname: string,
): boolean {
  if (hostname === serviceHost || hostname === authHostname) return true;
  if (hostname === `accounts.${serviceHost}`) return true;
  return serviceHost === 'localhost' && isLoopbackAddress(hostname);
}
