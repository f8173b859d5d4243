// The keys under which networks are counted.
import { expect, test } from 'vitest';
import { createKeyring } from '../../src/auth/keyring.ts';
import type { App } from '../../src/context.ts';
import { networkKey, toNetwork } from '../../src/services/limits/throttle.ts';
import { times } from '../support/nightly.ts';

/** The parts of an App that are used. */
const withSecret = (secret: string) => ({ keyring: createKeyring(() => [secret]) }) as App;

const network = (i: number) => `2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::1`;

test('a client with any number of networks is counted under at most 65,536 keys', () => {
  const app = withSecret('a secret key of thirty-two characters or more');
  const keys = new Set<string>();
  const count = times(80_000);
  for (let i = 0; i < count; i++) keys.add(networkKey(app, 'x', network(i)));
  expect(keys.size).toBeGreaterThan(count / 3);
  // Among this many, some share one.
  expect(keys.size).toBeLessThanOrEqual(Math.min(65_536, 0.9 * count));
});

test('nobody without the secret key can tell which networks share a counter', () => {
  const sharing = (secret: string) => {
    const app = withSecret(secret);
    const shared = Map.groupBy(
      Array.from({ length: 3_000 }, (_, i) => i),
      (i) => networkKey(app, 'x', network(i)),
    );
    return [...shared.values()].filter(({ length }) => length > 1);
  };
  const [one, other] = ['one', 'other'].map((name) =>
    sharing(`the ${name} secret key of thirty-two characters`),
  );
  expect(one?.length).toBeGreaterThan(10);
  expect(one).not.toEqual(other);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:DB8:0000:0:1:2:3:4', '2001:db8:0:0'],
  ['2001:db8::5:6:7:8:9', '2001:db8:0:5'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  [undefined, 'unknown'],
  ['not:an:address', 'not:an:address'],
])('the network of %s is %s', (address, expected) => {
  expect(toNetwork(address)).toBe(expected);
});
