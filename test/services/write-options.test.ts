// Which idempotency keys are valid.
import { describe, expect, test } from 'vitest';
import { parseIdempotencyKey } from '../../src/services/input/write-options.ts';

const PLACE = 'PUT /api/v2/contacts/5';
const parse = (text: string) => parseIdempotencyKey(text, PLACE, 'idempotencyKey');

test.each(['a', '8e03978e-40d5-43dd-bc93-6894a57f9324', '!"#~', 'k'.repeat(255)])('%s is a key', (key) => {
  expect(parse(key)).toEqual({ key, place: PLACE, field: 'idempotencyKey' });
});

describe('is not a valid key', () => {
  test.each(['', 'k'.repeat(256), 'a b', ' a', 'a\n', 'clé', '\u0000', '\x7f'])('%j', (text) => {
    const errors = [expect.objectContaining({ code: 'invalid_key', field: 'idempotencyKey' })];
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid', errors }));
  });
});
