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

test('a field error is stored without the name of its field, which is put before it', () => {
  const error = invalid('email_address', TAKEN);
  expect(error.errors).toEqual([
    { code: 'taken', field: 'email_address', message: 'has already been taken' },
  ]);
  expect(error.message).toBe('email_address has already been taken.');
  expect(shownErrors(error)).toEqual([
    { field: 'email_address', code: 'taken', message: 'email_address has already been taken.' },
  ]);
});

test('a complete sentence gets no field name before it', () => {
  const message = 'Give first or last, not both.';
  expect(sentenceOf({ code: 'not_allowed', field: 'last', message })).toBe(message);
});

test('a text that begins with `there` follows a colon, and no sentence ends with two full stops', () => {
  const field = 'image_id';
  expect(sentenceOf({ ...noSuch('Image'), field })).toBe(
    'image_id: there is no such image in this workspace.',
  );
  const message = 'cannot be applied. Give another one.';
  expect(sentenceOf({ code: 'not_allowed_now', field, message })).toBe(`image_id ${message}`);
});

test('the detail of several field errors consists of their sentences, in order', () => {
  const errors = ['name', 'color'].map((field) => ({ ...REQUIRED, field }));
  expect(invalidFields(errors, 'Look again.').message).toBe(
    'name is required. color is required. Look again.',
  );
});

test('refusals other than 422 have field errors in the same form', () => {
  const error = blaming('conflict', 'status', { code: 'not_allowed_now', message: 'cannot change' });
  expect(error).toMatchObject({ code: 'conflict', message: 'status cannot change.' });
});

test('each code is documented in one sentence', () => {
  for (const [code, about] of Object.entries(FIELD_ERROR_CODES)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(about).toMatch(/^[A-Z][^.]+\.$/);
  }
});
