// Builds the protected resource's metadata (spec §5 rule 5, RFC 9728) for a URL. The authorization server makes its own document.
import type { Config } from '../config/config.ts';
import type { Host } from './hosts.ts';
import { originOf, RESOURCE_PATHS } from './protected-resources.ts';
import { SCOPES } from './scopes.ts';

/** RFC 9728 §3. */
export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/**
 * OAuth 2.0 Protected Resource Metadata (RFC 9728 §2) at a URL, or null when there is none. The URL decides its `resource` (RFC 9728 §3.3): below {auth_url} it is the service,
 * on an owned host it is that host, and with an inserted path (§3.1) it is the API at that path. Custom domains offer no discovery (spec
 * §5 rule 7).
 * @param url the URL that the client used
 */
export function protectedResourceMetadata(config: Config, host: Host, url: URL) {
  const resource = host.kind === 'custom_domain' ? null : resourceAt(config, host, url);
  if (resource === null) return null;
  return {
    resource,
    resource_name: 'Service API v2',
    authorization_servers: [config.oauth.outside?.issuer ?? config.authUrl],
    /** The scopes that operations need. */
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
  };
}

function resourceAt(config: Config, host: Host, url: URL): string | null {
  const { authPath } = config;
  const { pathname } = url;
  if (authPath !== '' && host.kind === 'service') {
    // The address in challenges, and the address by RFC 9728.
    if (pathname === authPath + PROTECTED_RESOURCE_PATH) return config.authUrl;
    if (pathname === PROTECTED_RESOURCE_PATH + authPath) return config.authUrl;
  }
  const path = RESOURCE_PATHS.find((inserted) => pathname === PROTECTED_RESOURCE_PATH + inserted);
  return path === undefined ? null : originOf(config, url) + path;
}
