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

test('a letter with a mark is the same however it is encoded, and marks tell names apart', () => {
  expect(namesOf('caf\u00e9', 'cafe\u0301')).toEqual(['café']);
  // Vowels of Devanagari are marks: mother, mine.
  expect(namesOf('माता', 'मेता')).toEqual(['माता', 'मेता']);
});
