// Members are cut out of JSON's text, which stays as it is otherwise.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutMembers } from '../../src/rows/json-members.ts';

test.each([
  ['{"a":1,"b":{"a":[1,{"a":2}]},"c":"{\\"a\\":1},"}', ['a'], '{"b":{"a":[1,{"a":2}]},"c":"{\\"a\\":1},"}'],
  ['{"2":1.0,"1":9007199254740993,"a":"x"}', ['a'], '{"2":1.0,"1":9007199254740993}'],
  ['{"a":1,"b":2}', ['a', 'b'], '{}'],
  ['{}', ['a'], '{}'],
  [' { "a" : [ ] , "b" : "\\\\" } ', ['a'], '{ "b" : "\\\\" }'],
])('%s without %j', (json, names, rest) => {
  expect(withoutMembers(json, names)).toBe(rest);
});

test('any object loses the members of these names, and no other', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, other) => {
      const names = [...Object.keys(object).slice(0, 2), other];
      const kept = Object.entries(object).filter(([name]) => !names.includes(name));
      expect(withoutMembers(JSON.stringify(object), names)).toBe(
        `{${kept.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
      );
    }),
  );
});
