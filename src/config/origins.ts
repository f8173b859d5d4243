// The origins of the service's own hosts. Pure.
import { isIP } from 'node:net';
import type { Config } from './config.ts';

/**
 * The origin of AUTH_URL, and the origin of workspaces' hosts with `*` in place of the subdomain, which has the same scheme and port.
 * The latter is null if SERVICE_HOST is an IP address, because that has no subdomains.
 */
export function originsOf({ serviceHost, authUrl }: Pick<Config, 'serviceHost' | 'authUrl'>) {
  const { origin, protocol, port } = new URL(authUrl);
  const isHost = isIP(serviceHost) === 0;
  return {
    authOrigin: origin,
    workspaceOrigin: isHost ? `${protocol}//*.${serviceHost}${port && `:${port}`}` : null,
  };
}
