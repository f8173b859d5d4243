// The addresses that webhooks may be sent to (src/network/network-addresses.ts).
import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAllowedAddress } from '../src/network/network-addresses.ts';

const NONE = new BlockList();

/** The special-purpose registries of IANA, and what hides an IPv4 address: the first and the last address of each range. */
const REFUSED: Record<string, readonly string[]> = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'],
  'link-local': ['169.254.0.0', '169.254.255.255', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  metadata: [
    ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    ...['fd00:ec2::254', 'fd20:ce::254'],
  ],
  'protocol assignments': ['192.0.0.0', '192.0.0.255', '2001:1::1', '2001:1ff:ffff::'],
  documentation: ['192.0.2.0', '198.51.100.0', '203.0.113.255', '2001:db8::1', '3fff::1', '3fff:fff:ffff::'],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  '6to4 relay': ['192.88.99.0', '192.88.99.255'],
  multicast: ['224.0.0.0', '239.255.255.255', 'ff00::', 'ff02::1', 'ffff:ffff::'],
  reserved: ['240.0.0.0', '255.255.255.254'],
  broadcast: ['255.255.255.255'],
  unspecified: ['::'],
  'IPv4-compatible': ['::2', '::7f00:1', '::808:808', '::ffff:ffff'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  Teredo: ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  '6to4': ['2002::', '2002:7f00:1::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'unique local': ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'site-local': ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  discard: ['100::', '100:0:0:1::'],
  'segment routing': ['5f00::1'],
  'never given out': ['200::1', '1000::', '4000::', '8000::', 'e000::1'],
  zones: ['fe80::1%eth0', '2606:4700::1111%1'],
  'no address': ['', 'localhost', '127.1', '0x7f000001', '2130706433', '[::1]', '1.1.1.1 ', '01.1.1.1'],
};

test.each(Object.entries(REFUSED))('refused: %s', (_range, addresses) => {
  expect(addresses.filter((address) => isAllowedAddress(address, NONE))).toEqual([]);
});

test.each([
  ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255'],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2001:200::1', '2001:4860:4860::8888', '2003::1', '2606:4700::1111', '2a00:1450::1', '3ffe::1'],
])('public: %s', (address) => {
  expect(isAllowedAddress(address, NONE)).toBe(true);
});

test('the operator can allow ranges, and only those', () => {
  const allowed = new BlockList();
  allowed.addSubnet('127.0.0.0', 30, 'ipv4');
  allowed.addSubnet('fd12::', 16, 'ipv6');
  const given = [
    '127.0.0.1',
    '127.0.0.4',
    '::ffff:127.0.0.1',
    '::ffff:127.0.0.4',
    '::1',
    'fd12::1',
    'fd13::1',
  ];
  expect(given.filter((address) => isAllowedAddress(address, allowed))).toEqual([
    ...['127.0.0.1', '::ffff:127.0.0.1', 'fd12::1'],
  ]);
  expect(isAllowedAddress('fd12::1%eth0', allowed)).toBe(false);
});

test('no IPv6 address that carries an IPv4 address is allowed by default', () => {
  const carriers = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'];
  fc.assert(
    fc.property(fc.constantFrom(...carriers), fc.ipV4(), (prefix, address) => {
      expect(isAllowedAddress(`${prefix}${address}`, NONE)).toBe(false);
    }),
  );
});

test('any text is accepted or refused without an exception', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (text) => {
      expect(isAllowedAddress(text, NONE)).toBeTypeOf('boolean');
    }),
  );
});
