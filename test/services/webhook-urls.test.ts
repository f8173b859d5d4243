// Which URLs a webhook endpoint may have (src/services/webhooks/webhook-urls.ts).
import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { parseWebhookUrl } from '../../src/services/webhooks/webhook-urls.ts';

const NONE = new BlockList();
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');

const refusalOf = (url: string, allowed = NONE) => {
  try {
    parseWebhookUrl(url, 'url', allowed);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe('invalid');
    const [fault] = error.errors;
    expect(error.errors).toEqual([expect.objectContaining({ field: 'url' })]);
    return fault?.code === 'invalid_format' ? fault.message : fault?.code;
  }
};

test.each([
  ...['https://example.com', 'http://example.com/', 'HTTPS://Example.COM:8443/Hook?Key=a%20b&c'],
  ...[
    'https://bücher.example/ü',
    'https://example.com./hook',
    'https://a/b',
    'https://8.8.8.8/',
    'https://1.1/',
  ],
  ...['https://[2606:4700::1111]:8443/', 'https://localhost.example.com/', 'https://notlocalhost/'],
  ...['https://example.com/a@b', 'https://example.com?user@host', `https://example.com/${'a'.repeat(1_980)}`],
])('%s is stored as it is written', (url) => {
  expect(parseWebhookUrl(url, 'url', NONE)).toBe(url);
});

/** Hosts that are 127.x.x.x in the spellings that URL parsers and resolvers understand. */
const LOCAL = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1'],
  ...['017700000001', '0x7F.0X0.0.0x1', '1２7.0.0.1', '１２７.０.０.１', '①②⑦.0.0.1', '127。0。0。1'],
  ...['%31%32%37.0.0.1', '%6cocalhost', 'localhost', 'LOCALHOST', 'localhost.', 'app.localhost'],
  ...['a.b.LocalHost.', 'ｌｏｃａｌｈｏｓｔ', 'loc\u00adalhost', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
];
const INSIDE = [
  ...['0', '0.0.0.0', '10.0.0.1', '169.254.169.254', '169.254.169.254.', '2852039166', '0xa9fea9fe'],
  ...['100.64.0.1', '192.168.1.1', '172.16.0.1', '255.255.255.255', '224.0.0.1', '168.63.129.16'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]', '[::ffff:8.8.8.8]', '[::ffff:0:127.0.0.1]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001::1]', '[fc00::1]'],
  ...['[fd00:ec2::254]', '[fe80::1]', '[FE80::1]', '[fec0::1]', '[ff02::1]'],
];

test.each([...LOCAL, ...INSIDE])('a URL to %s is refused', (host) => {
  for (const url of [`http://${host}/`, `https://${host}:8443/hook?a=b`])
    expect(refusalOf(url)).toBe('not_allowed');
});

test.each([
  ['', 'must be an http or https URL'],
  ['example.com/hook', 'must be an http or https URL'],
  ['ftp://example.com/', 'must be an http or https URL'],
  ['javascript:alert(1)', 'must be an http or https URL'],
  ['http:example.com', 'must be an http or https URL'],
  ['http:/example.com', 'must be an http or https URL'],
  ['http:///example.com', 'must be an http or https URL'],
  ['http://', 'must be an http or https URL'],
  ['http://?a', 'must be an http or https URL'],
  ['http://[fe80::1%25eth0]/', 'must be an http or https URL'],
  ['http://[::1', 'must be an http or https URL'],
  ['http://1.2.3.999/', 'must be an http or https URL'],
  ['http://example.com:99999/', 'must be an http or https URL'],
  ['http://example.com:0/', 'must not have port 0'],
  [' https://example.com', 'must not contain spaces or backslashes'],
  ['https://example.com\n', 'must not contain spaces or backslashes'],
  ['https://exam\tple.com', 'must not contain spaces or backslashes'],
  ['https://example.com/a b', 'must not contain spaces or backslashes'],
  ['https://example.com\u0000', 'must not contain spaces or backslashes'],
  ['https:\\\\example.com', 'must not contain spaces or backslashes'],
  ['https://example.com\\@127.0.0.1/', 'must not contain spaces or backslashes'],
  ['https://example.com/\ud800', 'must not contain spaces or backslashes'],
  ['https://me:secret@example.com/', 'must not contain a user name or password'],
  ['https://me@example.com/', 'must not contain a user name or password'],
  ['https://@example.com/', 'must not contain a user name or password'],
  ['https://:@example.com/', 'must not contain a user name or password'],
  ['https://example.com/#part', 'must not contain a fragment'],
  ['https://example.com#', 'must not contain a fragment'],
  [`https://example.com/${'a'.repeat(1_981)}`, 'too_long'],
])('%j is refused', (url, message) => {
  expect(refusalOf(url)).toBe(message);
});

test('hosts that the operator allows are accepted in any spelling, and no others', () => {
  const hosts = [...LOCAL, ...INSIDE];
  expect(hosts.filter((host) => refusalOf(`http://${host}/`, LOOPBACK) === null)).toEqual(LOCAL);
});

test('every spelling of a loopback IPv4 address is refused', () => {
  const number = (value: number) =>
    fc.constantFrom(String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`);
  const spelling = fc.nat(0xffffff).chain((rest) =>
    fc.oneof(
      number(0x7f000000 + rest),
      fc.tuple(number(127), number(rest)).map((parts) => parts.join('.')),
      fc
        .tuple(number(127), number(rest >> 16), number((rest >> 8) & 255), number(rest & 255))
        .map((parts) => parts.join('.')),
    ),
  );
  fc.assert(
    fc.property(spelling, fc.constantFrom('', '.'), (host, end) => {
      expect(refusalOf(`http://${host}${end}/`)).toBe('not_allowed');
    }),
  );
});

test('any text is accepted as it is or refused with a reason', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
      const refusal = refusalOf(text);
      if (refusal !== null) expect(refusal).toMatch(/^(must .*|not_allowed|too_long)$/);
    }),
  );
});
