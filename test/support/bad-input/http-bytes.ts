// Bytes that are not a valid HTTP/1.1 request, or that two readers could split differently (RFC 9112 §11.2): each hides a request that
// would delete a contact if anybody executed it.
import type { Tenant } from '../operations.ts';
import type { Random } from './random.ts';

export interface HostileBytes {
  readonly what: string;
  readonly bytes: Buffer;
}

/** First lines; PATH is replaced by an existing path. */
const FIRST_LINES: readonly string[] = [
  ...[
    'GET PATH HTTP/1.1',
    'POST PATH HTTP/1.1',
    'GET  PATH HTTP/1.1',
    'GET\tPATH\tHTTP/1.1',
    'get PATH HTTP/1.1',
    'GET PATH HTTP/1.0',
    'GET PATH',
  ],
  ...[
    'GET PATH HTTP/0.9',
    'GET PATH HTTP/1.2',
    'GET PATH HTTP/2.0',
    'GET PATH HTTP/11',
    'GET PATH http/1.1',
    'GET PATH HTTP/1.1 ',
    ' GET PATH HTTP/1.1',
  ],
  ...[
    'GET http://localhostPATH HTTP/1.1',
    'GET http://evil.examplePATH HTTP/1.1',
    'GET https://a:b@localhostPATH HTTP/1.1',
    'GET ftp://localhostPATH HTTP/1.1',
  ],
  ...[
    'OPTIONS * HTTP/1.1',
    'GET * HTTP/1.1',
    'CONNECT localhost:443 HTTP/1.1',
    'CONNECT PATH HTTP/1.1',
    'TRACE PATH HTTP/1.1',
    'PRI * HTTP/2.0',
  ],
  ...[
    'GET \\PATH HTTP/1.1',
    'GET PATH#a HTTP/1.1',
    'GET //localhostPATH HTTP/1.1',
    'GET ?a HTTP/1.1',
    'GET localhost HTTP/1.1',
    'GET /\0 HTTP/1.1',
    'GET /\xff HTTP/1.1',
  ],
  ...[
    'GET /a b HTTP/1.1',
    'G\0T PATH HTTP/1.1',
    `${'A'.repeat(100)} PATH HTTP/1.1`,
    `GET /${'a'.repeat(20_000)} HTTP/1.1`,
    '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
    '',
    '\0\0\0\0',
  ],
];

/** Header lines, in any combination. */
const FIELDS: readonly string[] = [
  ...[
    'Host: evil.example',
    'Host: localhost, localhost',
    'Host: localhost/a',
    'Host: local host',
    'Host:',
    'Host: [::1',
    'Host: a@localhost',
    'Host: localhost:99999',
  ],
  ...[
    'Content-Length: 0',
    'Content-Length: 5',
    'Content-Length: +5',
    'Content-Length: -1',
    'Content-Length: 5, 5',
    'Content-Length: 5, 6',
    'Content-Length: 0x5',
  ],
  ...[
    'Content-Length: 99999999999999999999',
    'Content-Length: 1e3',
    'Content-Length:',
    'Content-Length: 5 5',
    'Content-Length: 9007199254740993',
    'Content_Length: 5',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: Chunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: identity',
  ],
  ...[
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding:\x0bchunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:',
  ],
  ...[
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Transfer-Encoding:\r\n chunked',
    'X: a\r\n b',
    'X: a\r\n\tTransfer-Encoding: chunked',
    ' X: a',
    'X : a',
    ': a',
  ],
  ...[
    'X',
    'X: a\0b',
    'X: a\rb',
    'X: a\nTransfer-Encoding: chunked',
    'X\0: a',
    'X\xff: a',
    'X: \x7f',
    '(): a',
    '"X": a',
    'X: \x01',
    '__proto__: a',
    'constructor: a',
  ],
  ...[
    'Expect: 100-continue',
    'Expect: a',
    'Upgrade: h2c',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Connection: Upgrade',
    'Connection: close, Authorization, Host',
    'Connection: keep-alive',
  ],
  ...[
    'HTTP2-Settings: AAMAAABkAAQAAP__',
    'Trailer: Host',
    'TE: trailers',
    'Keep-Alive: timeout=99999',
    'Content-Type: application/json',
    'Content-Encoding: gzip',
    'Max-Forwards: 0',
  ],
  ...[
    `X: ${'a'.repeat(20_000)}`,
    'X: a\r\n'.repeat(1_000).trimEnd(),
    'X: a\r\n'.repeat(3_000).trimEnd(),
    `${'X'.repeat(5_000)}: a`,
    'Authorization: Bearer a',
    'Cookie: a=b; a=c',
  ],
];

/** Bodies; HIDDEN is replaced by the request that nobody may see. */
const BODIES: readonly string[] = [
  ...['', '{"a":', 'HIDDEN', '\r\nHIDDEN', '0\r\n\r\n', '5;a="\r\n\r\nHIDDEN'],
  ...[
    'G\r\nHIDDEN',
    '0x5\r\nHIDDEN',
    '-1\r\nHIDDEN',
    '+5\r\nHIDDEN',
    ' 5\r\nHIDDEN',
    '5 \r\nHIDDEN',
    '5\nHIDDEN',
    '5\rHIDDEN',
    'ffffffffffffffffff\r\nHIDDEN',
    '7fffffffffffffff\r\nHIDDEN',
  ],
  ...['5\r\n{"a":HIDDEN', '5\r\n{"a":\n0\n\nHIDDEN', '0\r\nX\r\n\r\nHIDDEN', '0\r\n\0: a\r\n\r\nHIDDEN'],
  ...[
    `5;${'a'.repeat(17_000)}\r\nHIDDEN`,
    `${'1;a\r\n \r\n'.repeat(2_000)}0\r\n\r\n`,
    `0\r\n${'X: a\r\n'.repeat(2_000)}\r\n`,
    '\0'.repeat(100),
    `${'1\r\n \r\n'.repeat(50)}`,
  ],
];

/** Correctly chunked bodies: the bytes after them are a request unless a header sets the length of the body. */
const CHUNKED_BODIES: readonly string[] = [
  ...[
    '0\r\n\r\nHIDDEN',
    '5\r\n{"a":\r\n0\r\n\r\nHIDDEN',
    '5;a=b\r\n{"a":\r\n0\r\n\r\nHIDDEN',
    '00000000\r\n\r\nHIDDEN',
  ],
  '0\r\nHost: evil.example\r\nContent-Length: 5\r\n\r\nHIDDEN',
];

const CHUNKED = 'Transfer-Encoding: chunked';
const LINE_ENDS = ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', '\0\r\n', ' \r\n'];

/** @param authorization of a caller who may delete the contact */
export function hostileBytes(tenant: Tenant, authorization: string, random: Random): HostileBytes {
  const contact = `/api/v2/contacts/${tenant.contact.id}`;
  const hidden = `DELETE ${contact} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`;
  const first = random.percent(60) ? random.pick(FIRST_LINES.slice(0, 2)) : random.pick(FIRST_LINES);
  const lines = [first.replace('PATH', contact), 'Host: localhost', `Authorization: ${authorization}`];
  if (random.percent(5)) lines.splice(1, 1);
  const framing = random.pick([
    `${CHUNKED}\r\nContent-Length: 3`,
    `Content-Length: ${hidden.length + 500}`,
    CHUNKED,
    '',
  ]);
  if (framing !== '') lines.push(framing);
  const chosen = [random.pick(FIELDS), ...(random.percent(50) ? [random.pick(FIELDS)] : [])];
  lines.push(...chosen);
  const end = random.percent(80) ? '\r\n' : random.pick(LINE_ENDS);
  const at = random.int(lines.length);
  const head = lines.map((line, index) => line + (index === at ? end : '\r\n')).join('');
  const body = random.pick(random.percent(30) ? CHUNKED_BODIES : BODIES);
  const isApart = framing === '' || (framing === CHUNKED && CHUNKED_BODIES.includes(body));
  const before = random.percent(5) ? random.pick(['\r\n', '\n', '\r\n\r\n\r\n', ' ', '\0', 'GET']) : '';
  const text = `${before}${head}\r\n${body.replace('HIDDEN', isApart ? 'x' : hidden)}`;
  return {
    what: `${first.slice(0, 40)} | ${chosen.map((field) => field.slice(0, 60)).join(' | ')}`,
    bytes: Buffer.from(text, 'latin1'),
  };
}
