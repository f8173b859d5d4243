// The headers of a request: those that every request has, and additional hostile ones.
import type { Random } from './random.ts';
import type { Authorization } from './request.ts';
import { HEADER_NAMES, HEADER_VALUES } from './values.ts';

/** Hosts other than the gateway's. */
const HOSTS = [
  'localhost:1',
  'LOCALHOST',
  'localhost.',
  '127.0.0.1',
  '[::1]',
  'a.localhost',
  'xn--a',
  'example.com',
  'a'.repeat(300),
  '%6cocalhost',
];

/** Invalid credentials. */
const CREDENTIALS = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer \t',
  'Basic YTpi',
  'Bearer fgw_',
  `Bearer fgw_${'0'.repeat(49)}`,
  `Bearer ${'a'.repeat(3_000)}`,
  'Bearer a.b.c',
  'Bearer \u00ff',
  'bearer a, Bearer b',
  'Digest a="b',
];

let requests = 0;

/** Each request has its own id, which identifies its changes. */
export function headersOf(authorization: Authorization, random: Random): [string, string][] {
  const headers: [string, string][] = [['Host', random.percent(1) ? random.pick(HOSTS) : 'localhost']];
  const isKnown = random.percent(97);
  if (!isKnown) headers.push(['Authorization', random.pick(CREDENTIALS)]);
  else if (authorization !== null) headers.push(['Authorization', authorization]);
  if (random.percent(98)) headers.push(['X-Request-Id', `bad-${requests++}`]);
  while (random.percent(15)) headers.push([random.pick(HEADER_NAMES), random.pick(HEADER_VALUES)]);
  if (random.percent(0.5)) for (let i = 0; i < 300; i++) headers.push([`X-${i}`, 'a']);
  return headers;
}
