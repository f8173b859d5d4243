// References to rows as clients write them: by id or public id.
import { notFound } from '../../errors.ts';
import { idOfPublicId, type PublicIdTable, parseId } from '../../store/sql/public-ids.ts';

export { idOfPublicId, type PublicIdTable };

/** How a client names one row: the integer id or the public id. */
export type Ref = bigint | string;

/**
 * Parses an integer id or a public id. A string is untrusted; a bigint is already parsed.
 * @param what the noun, for the message
 * @throws AppError `not_found` for any other text: no row has such an id
 */
export function parseRef(what: string, table: PublicIdTable, input: Ref): bigint {
  const id = typeof input === 'bigint' ? input : parseId(table, input);
  if (id === null) throw notFound(what);
  return id;
}

/** The integer id of a public id. @param what the noun, for the message @throws AppError `not_found` for any other text */
export function parsePublicId(what: string, table: PublicIdTable, text: string): bigint {
  const id = idOfPublicId(table, text);
  if (id === null) throw notFound(what);
  return id;
}
