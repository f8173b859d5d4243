// Names of rows as clients write them (DESIGN §5 "path ids").
import { notFound } from '../errors.ts';
import { type PublicIdTable, parseId } from '../store/public-ids.ts';

/** How a client names one row: the integer id or the public id. */
export type Ref = bigint | string;

/**
 * The id of a row of the table, given its integer id or its public id. A string is untrusted; a bigint has been parsed already.
 * Nothing is looked up.
 * @param what what to call such a row
 * @throws AppError `not_found` for anything else: no row has such a name
 */
export function parseRef(what: string, table: PublicIdTable, input: Ref): bigint {
  const id = typeof input === 'bigint' ? input : parseId(table, input);
  if (id === null) throw notFound(what);
  return id;
}
