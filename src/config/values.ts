// Parses the texts of environment variables into values; undefined for a text that is none. Pure.
import { BlockList, isIP } from 'node:net';
import { isLoopbackHost } from './loopback.ts';

/** A host name, in lower case. */
export function parseHostName(text: string): string | undefined {
  const host = text.toLowerCase();
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(host) && URL.canParse(`https://${host}`);
  return isName ? host : undefined;
}

/** An http or https URL without query, without slashes at its end. */
export function parseBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
  return plain ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined;
}

/** Issuer identifiers are compared exactly (RFC 8414 §3.3): a trailing slash stays. */
export function parseIssuer(text: string): string | undefined {
  const base = parseBaseUrl(text);
  if (base === undefined) return undefined;
  const { protocol, hostname } = new URL(base);
  return protocol === 'https:' || isLoopbackHost(hostname) ? text : undefined;
}

/** `on` or `off`. */
export function parseSwitch(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined;
}

/** Processes that one gateway may have. */
export const MAX_WORKERS = 64;

/** Characters that a secret key must have. */
export const MIN_SECRET_KEY_LENGTH = 32;

/** Long enough keys, separated by commas. */
export function parseSecretKeys(text: string): readonly string[] | undefined {
  const keys = text.split(',').map((key) => key.trim());
  return keys.every((key) => key.length >= MIN_SECRET_KEY_LENGTH) ? keys : undefined;
}

/** A PostgreSQL connection string, unchanged. */
export function parseDatabaseUrl(text: string): string | undefined {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined;
}

/** PostgreSQL connection strings, separated by commas; no two lead to the same place. */
export function parseDatabaseUrls(text: string): readonly string[] | undefined {
  const urls = text.split(',').map((url) => url.trim());
  if (!urls.every((url) => parseDatabaseUrl(url) !== undefined)) return undefined;
  return new Set(urls.map(placeOf)).size === urls.length ? urls : undefined;
}

/** Which server and database a connection string leads to. */
function placeOf(url: string): string {
  const { hostname, port, pathname, searchParams: said } = new URL(url);
  return `${(said.get('host') ?? hostname).toLowerCase()}:${said.get('port') ?? (port || '5432')}${pathname}`;
}

/** IP addresses and CIDR ranges, separated by commas. */
export function parseAddresses(text: string): BlockList | undefined {
  const list = new BlockList();
  for (const item of text.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...rest] = item.split('/');
    const version = isIP(address);
    const size = bits === undefined ? (version === 4 ? 32 : 128) : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (version === 0 || rest.length > 0 || size < 0 || size > (version === 4 ? 32 : 128)) return undefined;
    list.addSubnet(address, size, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Pages of any origin, of origins of this machine, or of the listed ones. */
export type CorsOrigins = '*' | 'loopback' | readonly string[];

/**
 * Origins as browsers send them, separated by commas, or `*`. Another spelling of one, such as with a path, a slash at the end
 * or its default port, would never be equal to what a browser sends.
 */
export function parseOrigins(text: string): CorsOrigins | undefined {
  if (text === '*') return '*';
  const origins = text.split(',').map((item) => item.trim());
  return origins.every(isOrigin) ? origins : undefined;
}

/** Whether a text is the serialized origin of an http or https URL (HTML §7.1.1). A `*` within is no pattern. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** {auth_url} where it is not set. Names have certificates, and a proxy in front; this machine and bare addresses are reached directly. */
export function defaultAuthUrl(serviceHost: string, port: number): string {
  const isDirect = serviceHost === 'localhost' || isIP(serviceHost) !== 0;
  return isDirect ? `http://${serviceHost}:${port}` : `https://${serviceHost}`;
}
