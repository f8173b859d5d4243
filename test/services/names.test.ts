// Valid names of keys, clients and people, whoever sets them (src/services/accounts/names.ts).
import { expect, test } from 'vitest';
import { isName, parseName } from '../../src/services/accounts/names.ts';

test.each(['Ada Lovelace', 'Zoë & Söhne', '株式会社', 'Łódź – Ops (EU) №1', '🔑', '\u{1F468}\u{1F3FD}'])(
  '%j is taken as it is',
  (name) => expect(parseName(name, 100)).toBe(name),
);

test('surrounding spaces are not part of a name, and do not count', () => {
  expect(parseName('  Export\t', 6)).toBe('Export');
});

test.each([
  ['nothing', ''],
  ['spaces', ' \u00a0\t'],
  ['too long', 'x'.repeat(101)],
  ['a NUL', 'Ada\0'],
  ['a line break', 'Bank\nexe'],
  ['an escape of terminals', 'Bank\u001b[2Jexe'],
  ['a C1 control', 'Bank\u0085exe'],
  ['text turned around', 'Bank\u202eexe'],
  ['text set apart', 'Bank\u2066exe'],
  ['a character that hides', 'Ba\u200bnk'],
  ['a soft hyphen', 'Ba\u00adnk'],
  ['a byte order mark within', 'Ba\ufeffnk'],
  ['a tag', 'Bank\u{e0041}'],
  ['a line separator', 'Bank\u2028exe'],
  ['a paragraph separator', 'Bank\u2029exe'],
  ['half a surrogate pair', 'Bank\ud83d'],
])('%s is refused', (_, name) => {
  expect(isName(name, 100)).toBe(false);
  expect(() => parseName(name, 100)).toThrow(
    expect.objectContaining({ code: 'invalid', errors: [expect.objectContaining({ field: 'name' })] }),
  );
});
