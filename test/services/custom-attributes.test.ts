// The names of custom attributes in the form that is stored.
import { expect, test } from 'vitest';
import { parseCustomAttributes } from '../../src/services/contacts/custom-attributes.ts';

const namesOf = (...names: string[]) =>
  Object.keys(parseCustomAttributes(Object.fromEntries(names.map((name) => [name, ''])), 'of') ?? {});

test.each([
  ['Favourite Colour', 'favourite_colour'],
  ['favouriteColour', 'favourite_colour'],
  ['__proto__', 'proto'],
  ['Straße-Nr.', 'straße_nr'],
])('%s is stored as %s', (name, stored) => {
  expect(namesOf(name)).toEqual([stored]);
});

test('a letter with an accent is the same in any encoding, and accents distinguish names', () => {
  for (const name of ['caf\u00e9', 'cafe\u0301']) expect(namesOf(name)).toEqual(['café']);
  // Vowels of Devanagari are marks: mother, mine.
  expect(namesOf('माता', 'मेता')).toEqual(['माता', 'मेता']);
});

test('two names with one stored form, and numbers that would be rounded, are refused', () => {
  const refused = (given: object) => {
    try {
      parseCustomAttributes(given, 'of');
    } catch (error) {
      return (error as { errors?: { field: string }[] }).errors?.map(({ field }) => field);
    }
    return null;
  };
  expect(refused({ 'Shoe size': '39', shoeSize: '40' })).toEqual(['of.shoe_size']);
  expect(refused(JSON.parse('{"card": 12345678901234567890, "low": -9007199254740993}'))).toEqual([
    'of.card',
    'of.low',
  ]);
  for (const number of ['0.12345678901234567890123', '123456789.123456789123', '1e400', '1e21'])
    expect(refused(JSON.parse(`{"n": ${number}}`))).toEqual(['of.n']);
  for (const number of ['0.123456789012345', '-1234567.25', '0.000000001', '1e20'.slice(0, 1)])
    expect(refused(JSON.parse(`{"n": ${number}}`))).toBeNull();
  expect(refused({ a: 9_007_199_254_740_991, b: 1.5, c: true })).toBeNull();
});
