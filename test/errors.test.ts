// How a field error is stored, and how clients read it.
import { expect, test } from 'vitest';
import {
  blaming,
  FIELD_ERROR_CODES,
  invalid,
  invalidFields,
  noSuch,
  REQUIRED,
  sentenceOf,
  shownErrors,
  TAKEN,
} from '../src/errors.ts';

test('a field error is stored without the name of its field, which goes before it', () => {
  const error = invalid('email_address', TAKEN);
  expect(error.errors).toEqual([
    { code: 'taken', field: 'email_address', message: 'has already been taken' },
  ]);
  expect(error.message).toBe('email_address has already been taken.');
  expect(shownErrors(error)).toEqual([
    { field: 'email_address', message: 'email_address has already been taken.' },
  ]);
});

test('what is a sentence already has no name before it', () => {
  const message = 'Give first or last, not both.';
  expect(sentenceOf({ code: 'not_allowed', field: 'last', message })).toBe(message);
});

test('what begins with `there` follows a colon, and no sentence ends with two full stops', () => {
  const field = 'image_id';
  expect(sentenceOf({ ...noSuch('Image'), field })).toBe(
    'image_id: there is no such image in this workspace.',
  );
  const message = 'cannot be applied. Give another one.';
  expect(sentenceOf({ code: 'not_allowed_now', field, message })).toBe(`image_id ${message}`);
});

test('the detail of several field errors is their sentences, in order', () => {
  const errors = ['name', 'color'].map((field) => ({ ...REQUIRED, field }));
  expect(invalidFields(errors, 'Look again.').message).toBe(
    'name is required. color is required. Look again.',
  );
});

test('other refusals than 422 blame fields in the same form', () => {
  const error = blaming('conflict', 'status', { code: 'not_allowed_now', message: 'cannot change' });
  expect(error).toMatchObject({ code: 'conflict', message: 'status cannot change.' });
});

test('each code is documented in one sentence', () => {
  for (const [code, about] of Object.entries(FIELD_ERROR_CODES)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(about).toMatch(/^[A-Z][^.]+\.$/);
  }
});
