// What a request is for: the host and the path, from the request line and the Host header (RFC 9112 §3.2). Pure.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

/** The parts of a request that say what it is for. */
type Head = Pick<IncomingMessage, 'httpVersion' | 'url' | 'rawHeaders'>;

interface RequestTarget {
  /** A name or an address, with the port if there is one, as a URL can have it. */
  readonly host: string;
  /** The path and the query, as they were sent. */
  readonly path: string;
}

/**
 * What a request is for. An absolute target's host is the one that counts; its scheme does not (RFC 9112 §3.2.2): that is for
 * the socket, or a trusted proxy, to say.
 * @throws AppError `bad_request` for other versions than HTTP/1.x, no Host or two or a bad one, a target of any other form
 */
export function readTarget({ httpVersion, url = '', rawHeaders }: Head): RequestTarget {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw unreadable('It must be HTTP/1.1.');
  // A bad Host is bad, though the target's may be the one that counts.
  const host = parseHost(hostHeader(rawHeaders));
  const [, authority, behind = url] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? []);
  const path = authority === undefined || behind.startsWith('/') ? behind : `/${behind}`;
  // A URL's parser would take a backslash for a slash.
  if (!PATH.test(path)) throw unreadable('Its target must be a path, or an http or https URL.');
  return { host: authority === undefined ? host : parseHost(authority), path };
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;
const PATH = /^\/[^?\\]*(?:\?|$)/;

/** Two are one too many, though they are the same: who stands in front may have read the other (RFC 9112 §3.2). */
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

/** RFC 3986 §3.2.2 and §3.2.3, as far as a URL's parser would not see to it. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;
/** What is left to later parsers as it is. */
const PLAIN_HOST = /^[a-z\d.-]+(?::\d+)?$/i;

function parseHost(text: string): string {
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) throw unreadable('Its host is no name of one.');
  return PLAIN_HOST.test(text) ? text : new URL(`http://${text}`).host;
}

function unreadable(why: string): AppError {
  return new AppError('bad_request', `The request could not be read. ${why}`);
}
