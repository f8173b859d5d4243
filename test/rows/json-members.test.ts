// Members are cut out of JSON's text, which stays as it is otherwise.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutMembers, withoutMembersInside } from '../../src/rows/json-members.ts';

test.each([
  ['{"a":1,"b":{"a":[1,{"a":2}]},"c":"{\\"a\\":1},"}', ['a'], '{"b":{"a":[1,{"a":2}]},"c":"{\\"a\\":1},"}'],
  ['{"2":1.0,"1":9007199254740993,"a":"x"}', ['a'], '{"2":1.0,"1":9007199254740993}'],
  ['{"a":1,"b":2}', ['a', 'b'], '{}'],
  ['{}', ['a'], '{}'],
  [' { "a" : [ ] , "b" : "\\\\" } ', ['a'], '{ "b" : "\\\\" }'],
])('%s without %j', (json, names, rest) => {
  expect(withoutMembers(json, names)).toBe(rest);
});

test('any object loses exactly the members of these names', () => {
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

test.each([
  ['{"a":[{"b":1.0,"c":"]},{"},{"c":[2],"b":{"c":3}}],"c":4}', '{"a":[{"b":1.0},{"b":{"c":3}}],"c":4}'],
  ['{"a":{"b":9007199254740993,"c":1},"b":{"c":2}}', '{"a":{"b":9007199254740993},"b":{"c":2}}'],
  ['{"a":[null,{"c":1}],"b":"{\\"a\\":[{\\"c\\":1}]}"}', '{"a":[null,{}],"b":"{\\"a\\":[{\\"c\\":1}]}"}'],
  ['{"a":null,"c":1}', '{"a":null,"c":1}'],
  ['{"a":[],"b":"c"}', '{"a":[],"b":"c"}'],
])('%s without c inside of a is %s', (json, rest) => {
  expect(withoutMembersInside(json, new Map([['a', ['c']]]))).toBe(rest);
});
