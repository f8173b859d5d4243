// The forms of values of environment variables. Pure.
import { BlockList, isIP } from 'node:net';
import { isLoopbackHost } from './loopback.ts';

/** The form of a value: its description for messages, and its parser, which returns undefined for an invalid text. */
export interface Form<T> {
  readonly expected: string;
  readonly parse: (text: string) => T | undefined;
  /** Says what to correct in a text that does not parse; '' without a hint. It contains nothing of the text. */
  readonly hint?: (text: string) => string;
}

/** Makes a form. */
export function form<T>(expected: string, parse: Form<T>['parse'], hint?: Form<T>['hint']): Form<T> {
  return { expected, parse, ...(hint && { hint }) };
}

/** Any text. */
export const anyText = form('a text', (text) => text);

/** One of the texts in a list. */
export function oneOf<Text extends string>(texts: readonly Text[]): Form<Text> {
  return form(texts.join(', '), (text) => texts.find((one) => one === text));
}

/** `on` or `off`. */
export const onOrOff = form('on or off', (text) =>
  text === 'on' ? true : text === 'off' ? false : undefined,
);

/** A whole number. */
export function wholeNumber(min: number, max: number): Form<number> {
  return form(`a whole number from ${min} to ${max}`, (text) =>
    /^\d{1,9}$/.test(text) && +text >= min && +text <= max ? Number(text) : undefined,
  );
}

/** A host name, in lower case. */
export const hostName = form('a host name such as example.com', (text) => {
  const host = text.toLowerCase();
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(host) && URL.canParse(`https://${host}`);
  return isName ? host : undefined;
});

/** An http or https URL without query; trailing slashes are removed. */
export const baseUrl = form('an http or https address without query', parseBaseUrl);

function parseBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
  return plain ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined;
}

/** An issuer's identifier. It is compared exactly (RFC 8414 §3.3), so a trailing slash is kept. */
export const issuerUrl = form('an https address without query, or http on loopback', (text) => {
  const base = parseBaseUrl(text);
  if (base === undefined) return undefined;
  const { protocol, hostname } = new URL(base);
  return protocol === 'https:' || isLoopbackHost(hostname) ? text : undefined;
});

/** The minimum length of a secret key. */
export const MIN_SECRET_KEY_LENGTH = 32;

/** Keys of sufficient length, separated by commas. */
export const secretKeyList = form(
  `at least ${MIN_SECRET_KEY_LENGTH} characters; several are separated by commas`,
  (text): readonly string[] | undefined => {
    const keys = text.split(',').map((key) => key.trim());
    return keys.every((key) => key.length >= MIN_SECRET_KEY_LENGTH) ? keys : undefined;
  },
);

/** Parameters whose values may contain an `@`. */
const TEXT_PARAMETERS = /(?<=[?&])(?:user|password|application_name|options)=[^&#]*/g;

/**
 * The characters that end the user name and password of a URL too early because they are not percent-encoded; '' if there are none.
 * The text after them would be parsed as a host or a database, and messages would print it.
 */
export function unencodedIn(url: string): string {
  const rest = url.replace(/^\w+:\/\//, '').replaceAll(TEXT_PARAMETERS, '');
  const login = rest.slice(0, Math.max(0, rest.lastIndexOf('@')));
  const isEndedEarly = /[/?#]/.test(login);
  const found = isEndedEarly ? login.match(/[/?#@]/g) : rest.match(/#/g);
  return [...new Set(found)].join('');
}

function encodingHint(url: string): string {
  const pairs = [...unencodedIn(url)].map((one) => `${one} as ${encodeURIComponent(one)}`);
  return pairs.length === 0 ? '' : `, and its user name and password have ${pairs.join(', ')}`;
}

/** A URL that may contain a password, unchanged. */
export function secretUrl(expected: string, start: RegExp): Form<string> {
  const parse = (text: string) =>
    start.test(text) && URL.canParse(text) && unencodedIn(text) === '' ? text : undefined;
  return form(expected, parse, encodingHint);
}

const postgresUrl = secretUrl(
  'a connection string such as postgresql://user:password@host:5432/database',
  /^postgres(ql)?:\/\//,
);

/** A PostgreSQL connection string, for the driver. */
export const databaseUrl: Form<string> = {
  ...postgresUrl,
  parse(text) {
    const url = postgresUrl.parse(text);
    return url === undefined ? undefined : forDriver(url);
  },
};

/** Parameters that the gateway sets itself. In the URL they would replace its values. */
const OWN_PARAMETERS = /^(application_name|fallback_application_name|statement_timeout|query_timeout)=/;
/** Modes that the driver treats as `verify-full`, with a warning on the terminal. */
const STRICT_MODES = /^sslmode=(prefer|require|verify-ca)$/;

function forDriver(url: string): string {
  const [address = '', ...rest] = url.split('?');
  const original = rest
    .join('?')
    .split('&')
    .filter((one) => one !== '' && !OWN_PARAMETERS.test(one));
  const isStrict = !original.includes('uselibpqcompat=true');
  const parameters = original.map((one) =>
    isStrict ? one.replace(STRICT_MODES, 'sslmode=verify-full') : one,
  );
  return [address, ...(parameters.length > 0 ? [parameters.join('&')] : [])].join('?');
}

/** PostgreSQL connection strings, separated by commas. Each must have a different server or database. */
export const databaseUrlList = form(
  'connection strings such as postgresql://user:password@host:5432/database, separated by commas, each server once',
  (text): readonly string[] | undefined => {
    const urls = text.split(',').flatMap((url) => databaseUrl.parse(url.trim()) ?? []);
    if (urls.length < text.split(',').length) return undefined;
    return new Set(urls.map(placeOf)).size === urls.length ? urls : undefined;
  },
  (text) => encodingHint(text.split(',').find((url) => unencodedIn(url.trim()) !== '') ?? ''),
);

/** The server and database of a connection string. */
function placeOf(url: string): string {
  const { hostname, port, pathname, searchParams: said } = new URL(url);
  return `${(said.get('host') ?? hostname).toLowerCase()}:${said.get('port') ?? (port || '5432')}${pathname}`;
}

/** IP addresses and CIDR ranges, separated by commas. */
export const addressList = form('IP addresses or CIDR ranges, separated by commas', (text) => {
  const list = new BlockList();
  for (const item of text.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...rest] = item.split('/');
    const version = isIP(address);
    const size = bits === undefined ? (version === 4 ? 32 : 128) : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (version === 0 || rest.length > 0 || size < 0 || size > (version === 4 ? 32 : 128)) return undefined;
    list.addSubnet(address, size, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
});

/** Any origin, origins on this machine, or the listed ones. */
export type CorsOrigins = '*' | 'loopback' | readonly string[];

/**
 * Origins in the form of browsers, separated by commas, or `*`. Any other spelling (with a path, a trailing slash or the default port)
 * would never match what a browser sends.
 */
export const originList = form(
  'origins such as https://app.example.com (lower case, no path, no default port), separated by commas, or *',
  (text): CorsOrigins | undefined => {
    if (text === '*') return '*';
    const origins = text.split(',').map((item) => item.trim());
    return origins.every(isOrigin) ? origins : undefined;
  },
);

/** Whether a text is the serialized origin of an http or https URL (HTML §7.1.1). A `*` inside it is not a pattern. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/**
 * The default of {auth_url}: https for a host name, which should have a certificate and a proxy in front; http with the port for localhost
 * and IP addresses, which clients reach directly.
 */
export function defaultAuthUrl(serviceHost: string, port: number): string {
  const isDirect = serviceHost === 'localhost' || isIP(serviceHost) !== 0;
  return isDirect ? `http://${serviceHost}:${port}` : `https://${serviceHost}`;
}
