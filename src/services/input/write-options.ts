// Idempotency keys and preconditions, the same for REST and GraphQL. Pure.
import { invalid } from '../../errors.ts';

/** The options of a change, in addition to its input. */
export interface WriteOptions {
  /** Makes a retry return the answer of the first request (docs/http.md); null: none was sent. */
  readonly idempotencyKey: IdempotencyKey | null;
  /** Whether the precondition (If-Match) holds for the current object; null: there is none. */
  readonly precondition: ((row: object) => boolean) | null;
}

/** Identifies the retry of a request. */
export interface IdempotencyKey {
  readonly key: string;
  /** Where the key is valid: method and path, such as `PUT /api/v2/contacts/5`. */
  readonly place: string;
  /** The client's name for the key. */
  readonly field: string;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Parses a client's key.
 * @param field the client's name for it @throws AppError `invalid` blaming it
 */
export function parseIdempotencyKey(text: string, place: string, field: string): IdempotencyKey {
  if (!KEY.test(text))
    throw invalid(field, {
      code: 'invalid_key',
      message: 'must be 1 to 255 visible ASCII characters, without spaces',
    });
  return { key: text, place, field };
}
