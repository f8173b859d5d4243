// Parses the request target and the Host header into host and path (RFC 9112 §3.2), and refuses heads that are too long.
import type { IncomingMessage } from 'node:http';
import { isAuthority } from '../auth/hosts.ts';
import { AppError } from '../errors.ts';

/** The parts of Node's request that determine its target. */
type RequestHead = Pick<IncomingMessage, 'httpVersion' | 'url' | 'rawHeaders'>;

interface RequestTarget {
  /** A host name or an address, with the port if there is one, valid in a URL. */
  readonly host: string;
  /** Path and query, unchanged. */
  readonly path: string;
}

/**
 * The target of a request. The host of an absolute target takes precedence over the Host header (RFC 9112 §3.2.2). Its scheme is
 * ignored: the socket or a trusted proxy determines the scheme.
 * @throws AppError `bad_request` for a version other than HTTP/1.x, a missing, repeated or invalid Host header, or another form of target
 */
export function parseTarget({ httpVersion, url = '', rawHeaders }: RequestHead): RequestTarget {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw unreadable('It must be HTTP/1.1.');
  // The Host header must be valid even where the target's host takes precedence.
  const host = parseHost(hostHeader(rawHeaders));
  const [, authority, rest = url] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? []);
  const path = authority === undefined || rest.startsWith('/') ? rest : `/${rest}`;
  // A URL parser would treat a backslash as a slash.
  if (!PATH.test(path)) throw unreadable('Its target must be a path, or an http or https URL.');
  return { host: authority === undefined ? host : parseHost(authority), path };
}

/** The longest target; RFC 9110 §4.1 recommends at least 8,000 octets. */
const MAX_TARGET_CHARS = 8_192;
const MAX_HEADER_FIELDS = 200;

/** @throws AppError `uri_too_long`, `header_fields_too_large` */
export function requireShortHead({ url = '', rawHeaders }: RequestHead): void {
  if (url.length > MAX_TARGET_CHARS) throw targetTooLong();
  // The array contains names and values alternately.
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS)
    throw new AppError(
      'header_fields_too_large',
      `There are too many header fields. A request can have at most ${MAX_HEADER_FIELDS}.`,
    );
}

/** The error for a target that is too long. */
export function targetTooLong(): AppError {
  return new AppError(
    'uri_too_long',
    `The path and query are too long. They can have at most ${MAX_TARGET_CHARS} characters.`,
  );
}

/** Whether a head is too large because of its target, which does not end within its limit. */
export function isInTarget(bytes: Buffer | undefined): boolean {
  const start = bytes?.toString('latin1', 0, MAX_TARGET_CHARS) ?? '';
  return /^[A-Z]{1,20} \S{4000,}$/.test(start);
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;
const PATH = /^\/[^?\\]*(?:\?|$)/;

/** The only Host header. Two are refused even if they are equal, because a proxy may have used the other one (RFC 9112 §3.2). */
function hostHeader(rawHeaders: readonly string[]): string {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) throw unreadable('It must have one Host header.');
    host = rawHeaders[at + 1] ?? '';
  }
  if (host === undefined) throw unreadable('It must have one Host header.');
  return host;
}

/** Hosts that need no normalization. */
const PLAIN_HOST = /^[a-z\d.-]+(?::\d+)?$/i;

/** The last parsed host, with its text: most requests have the same Host header as the previous one. */
let last: { readonly text: string | null; readonly host: string } = { text: null, host: '' };

function parseHost(text: string): string {
  if (text !== last.text) last = { text, host: parseNewHost(text) };
  return last.host;
}

function parseNewHost(text: string): string {
  if (!isAuthority(text)) throw unreadable('Its Host header is not a valid host.');
  return PLAIN_HOST.test(text) ? text : new URL(`http://${text}`).host;
}

function unreadable(why: string): AppError {
  return new AppError('bad_request', `The request could not be read. ${why}`);
}
