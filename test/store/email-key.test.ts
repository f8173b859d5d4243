// How e-mail addresses are compared: as JavaScript trims, and whatever their case.
import { expect, test } from 'vitest';
import { emailKey } from '../../src/store/sql/email-key.ts';
import { sharedGateway } from '../support/gateway.ts';

const gateway = await sharedGateway();

test('surrounding white space, as trim defines it, is not part of an address, and everything else is', async () => {
  // NUL and lone surrogates cannot be stored.
  const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code + 1)).filter(
    (character) => character.isWellFormed() && !/\p{L}/u.test(character),
  );
  const addresses = characters.map((character) => `${character}Ann@x.example${character}`);
  const { rows } = await gateway.app.store.pool.query<{ key: string }>(
    `select ${emailKey('address')} as key from unnest($1::text[]) with ordinality a (address, n) order by n`,
    [addresses],
  );
  const differing = rows.flatMap(({ key }, index) => {
    const trimmed = addresses[index]?.trim() ?? '';
    return key.includes('ann@x.example') && [...key].length === [...trimmed].length ? [] : [trimmed];
  });
  expect(differing).toEqual([]);
  expect(rows.filter(({ key }) => key === 'ann@x.example').length).toBeGreaterThan(20);
});
