// The host of a request, and the tenant that owns it (spec §1, §5 rules 6-7).
import { isIP } from 'node:net';
import type { Config } from '../config/config.ts';
import { isLoopbackAddress } from '../config/loopback.ts';
import { AppError } from '../errors.ts';
import type { Tenancy } from '../store/sql/tenancy.ts';
import type { AuthApp } from './auth-app.ts';

/** One of our hosts (`service`, or a subdomain of a team or a workspace) or a customer's custom domain. */
export interface Host {
  readonly kind: 'service' | 'team' | 'workspace' | 'custom_domain';
  /** Null on the service's own hosts, which belong to no tenant. */
  readonly teamId: bigint | null;
  readonly workspaceId: bigint | null;
}

const SERVICE: Host = { kind: 'service', teamId: null, workspaceId: null };

/** A host name or an address, and a port: the rules of RFC 3986 §3.2.2 and §3.2.3 that a URL parser does not enforce. */
const AUTHORITY = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

/** Whether a text is only a host, with or without a port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text) && URL.canParse(`http://${text}`);
}

/**
 * The URL that the client used: the request's own or, behind a trusted proxy, the one from the proxy's headers (`TRUST_PROXY`). If a
 * header has several values, the last one counts: the proxy added it itself, earlier ones may come from the client.
 * @param isProxied whether a trusted proxy sent the request
 * @returns null when the proxy's headers do not contain exactly one host, or contain a scheme other than http and https
 */
export function publicUrl(request: Request, isProxied: boolean): URL | null {
  const url = new URL(request.url);
  if (!isProxied) return url;
  const host = lastOf(request.headers.get('x-forwarded-host'));
  const proto = lastOf(request.headers.get('x-forwarded-proto'))?.toLowerCase() ?? null;
  if (proto !== null && proto !== 'http' && proto !== 'https') return null;
  if (host !== null && !isAuthority(host)) return null;
  if (proto !== null) url.protocol = `${proto}:`;
  if (host !== null) {
    // Assigning to `host` would keep the inner port if the forwarded host has none.
    const outer = new URL(`${url.protocol}//${host}`);
    url.hostname = outer.hostname;
    url.port = outer.port;
  }
  return url;
}

/** The last value of a header to which proxies append; null when the header is missing. */
function lastOf(header: string | null): string | null {
  return header?.split(',').at(-1)?.trim() ?? null;
}

/** The error for a request whose proxy headers do not contain the host. */
export function unknownTarget(): AppError {
  return new AppError(
    'misdirected_request',
    'The proxy does not say which host the request is for. Let it set X-Forwarded-Host to a host and X-Forwarded-Proto to http or https.',
  );
}

/** The client's address: the peer's address or, behind trusted proxies, the last address in their list that is not a proxy. */
export function clientAddress(app: AuthApp, request: Request, peerAddress: string | undefined): string {
  let address = peerAddress ?? 'unknown';
  const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  while (isIP(address) !== 0 && isTrustedProxy(app.config, address)) {
    const hop = hops.pop();
    if (hop === undefined || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Whether the address belongs to a trusted proxy. */
export function isTrustedProxy({ trustProxy }: Pick<Config, 'trustProxy'>, address: string): boolean {
  const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  return trustProxy.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Whether a host, in the form of URL.hostname, is the service's own, which serves every team and never belongs to a tenant: SERVICE_HOST and
 * `accounts` below it, AUTH_URL's host, and every loopback address if SERVICE_HOST is localhost. `api` and `app` may have an owner.
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
 * The host with this name, and its tenant. Takes at most one SQL statement; the service's own hosts need none and are returned
 * synchronously.
 * @param hostname without port, in URL form (lower case, IPv6 in brackets)
 * @throws AppError `misdirected_request` (421) for an unknown host (RFC 9110 §15.5.20)
 */
export function resolveHost(app: AuthApp, hostname: string): Host | Promise<Host> {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return isServiceHost(app.config, name) ? SERVICE : lookUpHost(app, name);
}

/** Subdomains that are the service itself, unless a team or a workspace had them before they were reserved. */
const ALSO_SERVICE = new Set(['api', 'app']);

async function lookUpHost(app: AuthApp, name: string): Promise<Host> {
  const { serviceHost } = app.config;
  if (name.endsWith(`.${serviceHost}`)) {
    const label = name.slice(0, -serviceHost.length - 1);
    const isService = ALSO_SERVICE.has(label);
    const owner = await (isService ? app.lookups.reservedSubdomain(label) : app.lookups.subdomain(label));
    if (owner !== null) return { kind: owner.workspaceId === null ? 'team' : 'workspace', ...owner };
    if (isService) return SERVICE;
  } else {
    const owner = await app.lookups.customDomain(name);
    if (owner !== null) return { kind: 'custom_domain', ...owner };
  }
  throw new AppError(
    'misdirected_request',
    `The host ${name} is not served. This service serves ${serviceHost}; the operator sets SERVICE_HOST to the name or address that clients use.`,
  );
}

/**
 * The tenancy of a team's credential on a host: the granted workspaces of this host. On another team's host there are none.
 * @param granted the workspaces that the credential is for; null is every workspace of the team
 */
export function tenancyOnHost(teamId: bigint, host: Host, granted: readonly bigint[] | null = null): Tenancy {
  if (host.teamId !== null && host.teamId !== teamId) return { teamId: 0n, workspaceIds: [] };
  if (host.workspaceId === null) return { teamId, workspaceIds: granted };
  const { workspaceId } = host;
  return { teamId, workspaceIds: granted === null || granted.includes(workspaceId) ? [workspaceId] : [] };
}
