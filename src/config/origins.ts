// The origins of the service's own hosts. Pure.
import { isIP } from 'node:net';
import type { Config } from './config.ts';

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
