// The host that a request was sent to, and the tenant that it belongs to (spec §1, §5 rules 6-7, DESIGN §7).
import { isIP } from 'node:net';
import type { Config } from '../config/config.ts';
import { isServiceHost } from '../config/service-hosts.ts';
import { AppError } from '../errors.ts';
import type { Tenancy } from '../store/tenancy.ts';
import type { AuthApp } from './auth-app.ts';

/** A host that is ours (`service`, or a subdomain of a team's or a workspace's) or a customer's custom domain. */
export interface Host {
  readonly kind: 'service' | 'team' | 'workspace' | 'custom_domain';
  /** null on the service's own hosts, which belong to no tenant. */
  readonly teamId: bigint | null;
  readonly workspaceId: bigint | null;
}

const SERVICE: Host = { kind: 'service', teamId: null, workspaceId: null };

/**
 * The URL that the client used: the request's own, or what a trusted proxy says of it (`TRUST_PROXY`).
 * @param isProxied whether a trusted proxy has sent it
 */
export function publicUrl(request: Request, isProxied: boolean): URL {
  const url = new URL(request.url);
  if (!isProxied) return url;
  const host = request.headers.get('x-forwarded-host')?.split(',')[0]?.trim();
  const proto = request.headers.get('x-forwarded-proto')?.split(',')[0]?.trim();
  if (proto === 'http' || proto === 'https') url.protocol = `${proto}:`;
  if (host !== undefined && URL.canParse(`${url.protocol}//${host}`)) {
    // Assigning to `host` would keep the inner port when the forwarded host has none.
    const outer = new URL(`${url.protocol}//${host}`);
    url.hostname = outer.hostname;
    url.port = outer.port;
  }
  return url;
}

/** The client's address: the peer's, or what trusted proxies say of it; the last one in their list that is no proxy. */
export function clientAddress(app: AuthApp, request: Request, peerAddress: string | undefined): string {
  let address = peerAddress ?? 'unknown';
  const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  while (isIP(address) !== 0 && isTrusted(app.config, address)) {
    const hop = hops.pop();
    if (hop === undefined || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Whether a peer's address is that of a proxy whose word counts. */
export function isTrusted({ trustProxy }: Pick<Config, 'trustProxy'>, address: string): boolean {
  const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  return trustProxy.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The host with this name, and its tenant. One SQL statement at most; none on the service's own hosts, which are told at once.
 * @param hostname without port, as a URL has it (lower case, IPv6 in brackets)
 * @throws AppError `misdirected_request` (421) for a host that belongs to nobody (RFC 9110 §15.5.20)
 */
export function resolveHost(app: AuthApp, hostname: string): Host | Promise<Host> {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return isServiceHost(app.config, name) ? SERVICE : lookUpHost(app, name);
}

async function lookUpHost(app: AuthApp, name: string): Promise<Host> {
  const { serviceHost } = app.config;
  if (name.endsWith(`.${serviceHost}`)) {
    const owner = await app.lookups.subdomain(name.slice(0, -serviceHost.length - 1));
    if (owner !== null) return { kind: owner.workspaceId === null ? 'team' : 'workspace', ...owner };
  } else {
    const owner = await app.lookups.customDomain(name);
    if (owner !== null) return { kind: 'custom_domain', ...owner };
  }
  throw new AppError(
    'misdirected_request',
    `Nobody is served at ${name}. The service answers for ${serviceHost}: whoever runs it sets SERVICE_HOST to the name or address that clients use.`,
  );
}

/**
 * The tenancy of a team's credential at a host: the host's workspaces that are granted. On another team's host that is none.
 * @param granted the workspaces that the credential is for; null is every one of the team
 */
export function narrow(teamId: bigint, host: Host, granted: readonly bigint[] | null = null): Tenancy {
  if (host.teamId !== null && host.teamId !== teamId) return { teamId: 0n, workspaceIds: [] };
  if (host.workspaceId === null) return { teamId, workspaceIds: granted };
  const { workspaceId } = host;
  return { teamId, workspaceIds: granted === null || granted.includes(workspaceId) ? [workspaceId] : [] };
}
