// What is wrong with a field reads well below it in a form, over both APIs: a phrase that goes on from the field's name, or a sentence.
import { expect, test } from 'vitest';
import { AppError, messageBelowField } from '../../src/errors.ts';
import { UNCHECKED_URL } from '../../src/resources/description/common-fields.ts';
import type { Field, Fields } from '../../src/resources/description/fields.ts';
import { writableFields } from '../../src/resources/description/inputs.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import { parseFields } from '../../src/services/input/parse-fields.ts';

/** Values of which each is wrong for most fields. */
const WRONG = [null, '', ' ', 'x', '\0', -1, 1e12, 1.5, true, {}, [], [1], 'x'.repeat(70_000)];

/** How a phrase goes on from the name of a field. */
const PHRASE = /^(is|must|has|have|can|cannot|does|needs|already) .*[^.]$|^(There|[A-Z]).*\.$/;

function messagesOf(fields: Fields, name: string, value: unknown): string[] {
  try {
    parseFields(fields, { members: { [name]: value }, nameOf: (property) => property }, 'creation', true);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.errors.filter(({ field }) => field === name).map(messageBelowField);
  }
}

test.each(NOUNS.map((noun) => [noun.type, noun] as const))('the messages of %s', (_type, noun) => {
  const fields: Fields = { ...writableFields(noun, 'creation'), ...writableFields(noun, 'change') };
  const messages = Object.entries<Field>(fields).flatMap(([name, field]) =>
    WRONG.flatMap((value) => messagesOf({ [name]: field }, name, value).map((message) => [name, message])),
  );
  const unfit = messages.filter(
    ([, message = '']) => !PHRASE.test(message) || /\bnull\b|\bmembers\b|\bas a string\b/.test(message),
  );
  expect([...new Set(unfit.map(String))]).toEqual([]);
});

/** All but http and https is refused for them. */
const CHECKED = ['Image.uploadSourceUrl', 'Page.externalUrl', 'WebhookEndpoint.url'];

test('a URL that is stored as it was sent says how to link it', () => {
  const silent = NOUNS.flatMap((noun) =>
    Object.entries<Field>({ ...writableFields(noun, 'creation'), ...writableFields(noun, 'change') })
      .filter(([name, { type }]) => /url$/i.test(name) && type === 'text')
      .filter(
        ([name, { description }]) =>
          !CHECKED.includes(`${noun.type}.${name}`) && !description.includes(UNCHECKED_URL),
      )
      .map(([name]) => `${noun.type}.${name}`),
  );
  expect(silent).toEqual([]);
});
