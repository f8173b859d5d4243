// The service of a noun offers every change of its description, whatever its own file replaces.
import { expect, test } from 'vitest';
import { tag } from '../../src/resources/tags.ts';
import { makeService } from '../../src/services/nouns.ts';

test('a function of its own replaces one, and the others stay', () => {
  const create = () => null;
  const made = makeService(tag, { create });
  expect(made).toMatchObject({ create, update: expect.any(Function), remove: expect.any(Function) });
});

test('own writes that lack a change of the description are refused', () => {
  expect(() => makeService(tag, { writeScope: 'contacts:write', create: () => null })).toThrow(
    'Tag has no update, remove: its own writes replace all of them.',
  );
});
