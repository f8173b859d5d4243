// Under which names one connection has prepared which choices of columns: so many at most, and what is dropped is
// deallocated. A name is never given twice, so that answers which are still on their way mean what they meant.
import type pg from 'pg';
import { SharedCache } from '../../shared-cache.ts';
import { deallocate } from './rows-query.ts';

/** A prepared statement of a choice takes PostgreSQL some 100 kB, in each connection. */
export const MAX_PREPARED_PROJECTIONS = 100;

/** A name, and how many statements are on their way under it: as long as there are any, it stays. */
export interface Prepared {
  readonly name: string;
  pending: number;
}

/** Not kept by PostgreSQL beyond the next one. */
const UNNAMED = '';

export class StatementNames {
  readonly #names: SharedCache<Prepared>;
  #made = 0;

  constructor(client: pg.Client) {
    this.#names = new SharedCache({
      max: MAX_PREPARED_PROJECTIONS,
      isFree: ({ pending }) => pending === 0,
      onDrop: ({ name }) => deallocate(client, name),
    });
  }

  /** The name for a choice, with one more statement on its way; a statement without a name where there is no room. */
  take(projected: string, owner: bigint): Prepared {
    let prepared = this.#names.get(projected, owner);
    if (prepared === undefined) {
      prepared = { name: `choice_${++this.#made}`, pending: 0 };
      if (!this.#names.add(projected, owner, prepared)) return { name: UNNAMED, pending: 1 };
    }
    prepared.pending += 1;
    return prepared;
  }
}
