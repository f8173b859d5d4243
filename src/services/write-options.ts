// Idempotency keys and conditions, as either face has them (DESIGN §12). Pure.
import { invalid } from '../errors.ts';

/** What the client of a change says about it besides its input. */
export interface WriteOptions {
  /** Makes a retry answer what the first request did (docs/http.md); null: none was sent. */
  readonly idempotencyKey: IdempotencyKey | null;
  /** Whether the change may go ahead on an object as it is now (If-Match); null: on any. */
  readonly fits: ((row: object) => boolean) | null;
}

/** What a retry is known by. */
export interface IdempotencyKey {
  readonly key: string;
  /** Where the key is valid: method and path, such as `PUT /api/v2/contacts/5`. */
  readonly place: string;
  /** What the client calls it. */
  readonly field: string;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * A key that a client chose.
 * @param field its name, as the client writes it; @throws AppError `invalid` blaming it
 */
export function parseIdempotencyKey(text: string, place: string, field: string): IdempotencyKey {
  if (!KEY.test(text))
    throw invalid(field, `${field} must be 1 to 255 visible ASCII characters, without spaces.`);
  return { key: text, place, field };
}
