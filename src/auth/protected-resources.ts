// The identifiers of protected resources, which tokens have as their audience (RFC 8707 §2, RFC 9728 §1.2): the service, each of our
// hosts, and the REST and GraphQL APIs there.
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { AuthApp } from './auth-app.ts';
import { type Host, resolveHost } from './hosts.ts';

const GRAPHQL = '/graphql';
const REST = '/api/v2';

/** A token's `aud`. */
type Audiences = string | readonly string[] | undefined;

/** Paths of separate resources below an owned host. */
export const RESOURCE_PATHS: readonly string[] = ['', REST, GRAPHQL];

/**
 * Whether a token with these audiences is valid for a request to this URL: for the service, the host, or the API there. On a custom
 * domain it must be for the service, because no resource is offered there.
 */
export function isForRequest(audiences: Audiences, config: Config, host: Host, url: URL): boolean {
  // The audience of nearly every token. This runs for every request, so it allocates nothing.
  return audiences === config.authUrl || isFor(audiences, audiencesAt(config, host, url));
}

function audiencesAt(config: Config, host: Host, url: URL): string[] {
  if (host.kind === 'custom_domain') return [config.authUrl];
  const origin = originOf(config, url);
  return [config.authUrl, origin, origin + (url.pathname === GRAPHQL ? GRAPHQL : REST)];
}

/** The origin that the client used. If the service is on https, a proxy before us may terminate TLS. */
export function originOf(config: Config, url: URL): string {
  return config.authUrl.startsWith('https:') ? `https://${url.host}` : url.origin;
}

/** Whether a token with these audiences is for one of `accepted`. A trailing slash makes no difference. */
export function isFor(audiences: Audiences, accepted: readonly string[]): boolean {
  const names = accepted.map(withoutSlash);
  return [audiences ?? []].flat().some((audience) => names.includes(withoutSlash(audience)));
}

/**
 * Whether a `resource` parameter is the identifier of one of our resources (RFC 8707 §2).
 * @throws AppError `unavailable` when the store does not answer
 */
export async function isResource(app: AuthApp, resource: string): Promise<boolean> {
  const name = withoutSlash(resource);
  if (name === app.config.authUrl) return true;
  if (!URL.canParse(name)) return false;
  const url = new URL(name);
  const { protocol } = new URL(app.config.authUrl);
  const path = url.pathname.replace(/\/$/, '');
  // Compares the complete text, so that nothing can hide in a user name, a query or another spelling.
  if (name !== url.origin + path || !RESOURCE_PATHS.includes(path)) return false;
  if (url.protocol !== 'https:' && url.protocol !== protocol) return false;
  try {
    return (await resolveHost(app, url.hostname)).kind !== 'custom_domain';
  } catch (error) {
    if (error instanceof AppError && error.code === 'misdirected_request') return false;
    throw error;
  }
}

function withoutSlash(uri: string): string {
  return uri.endsWith('/') ? uri.slice(0, -1) : uri;
}
