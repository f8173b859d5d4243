// The network that tries and requests of an address are counted under.
import { expect, test } from 'vitest';
import { toNetwork } from '../../src/services/throttle.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:DB8:0000:0:1:2:3:4', '2001:db8:0:0'],
  ['2001:db8::5:6:7:8:9', '2001:db8:0:5'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  [undefined, 'unknown'],
])('of %s it is %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});

test('what is no address is a network of its own, as a proxy has said it', () => {
  expect(toNetwork('_hidden')).toBe('_hidden');
  expect(toNetwork('not:an:address')).toBe('not:an:address');
});
