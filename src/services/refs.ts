// References to rows as clients write them: by id or public id (DESIGN §5 "path ids").
import { notFound } from '../errors.ts';
import type { Ref } from '../store/rows.ts';

const MAX_ID = 2n ** 63n - 1n;

/**
 * An integer id or a public id. A string is untrusted; a bigint has been parsed already.
 * @param what the noun, for the message
 * @throws AppError `not_found` for anything else: no row has such an id
 */
export function parseRef(what: string, input: Ref): Ref {
  if (typeof input === 'bigint') return input;
  if (/^[A-Za-z]{6,64}$/.test(input)) return input;
  if (/^\d{1,19}$/.test(input) && BigInt(input) <= MAX_ID) return BigInt(input);
  throw notFound(what);
}
