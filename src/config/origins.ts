// The service's own hosts, which serve every team. Pure.
import { isIP } from 'node:net';
import type { Config } from './config.ts';
import { isLoopbackAddress } from './loopback.ts';

/**
 * Whether a host, in the form of URL.hostname, never belongs to a tenant: SERVICE_HOST and `accounts` below it, AUTH_URL's host, and every
 * loopback address if SERVICE_HOST is localhost. `api` and `app` may have an owner (auth/hosts.ts).
 */
export function isServiceHost(
  { serviceHost, authHostname }: Pick<Config, 'serviceHost' | 'authHostname'>,
  hostname: string,
): boolean {
  if (hostname === serviceHost || hostname === authHostname) return true;
  if (hostname === `accounts.${serviceHost}`) return true;
  return serviceHost === 'localhost' && isLoopbackAddress(hostname);
}

/**
 * The origin of AUTH_URL, and that of a workspace's host, with `*` in place of its subdomain: it is reached as AUTH_URL is. null where
 * SERVICE_HOST is an IP address, below which there are no hosts.
 */
export function originsOf({ serviceHost, authUrl }: Pick<Config, 'serviceHost' | 'authUrl'>) {
  const { origin, protocol, port } = new URL(authUrl);
  const isHost = isIP(serviceHost) === 0;
  return {
    authOrigin: origin,
    workspaceOrigin: isHost ? `${protocol}//*.${serviceHost}${port && `:${port}`}` : null,
  };
}
