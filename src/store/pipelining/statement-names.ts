// The names of one connection's prepared statements for projections. Their number is limited, and evicted statements are deallocated. A
// name is never reused, so that pending results cannot be confused.
import type pg from 'pg';
import { SharedCache } from '../../concurrency/shared-cache.ts';
import { deallocate } from '../connections/rows-query.ts';

/** In PostgreSQL a prepared statement takes about 100 kB on each connection. */
export const MAX_PREPARED_PROJECTIONS = 100;

/** A name, and the number of its pending statements. A name with pending statements is not evicted. */
export interface PreparedName {
  readonly name: string;
  pending: number;
}

/** PostgreSQL's unnamed statement, which the next one replaces. */
const UNNAMED = '';

export class StatementNames {
  readonly #names: SharedCache<PreparedName>;
  #made = 0;

  constructor(client: pg.Client) {
    this.#names = new SharedCache({
      max: MAX_PREPARED_PROJECTIONS,
      canEvict: ({ pending }) => pending === 0,
      onEvict: ({ name }) => deallocate(client, name),
    });
  }

  /** Gets a name for a projection's statement, and counts it as pending; the unnamed statement if no name can be evicted. */
  acquire(statementName: string, tenantId: bigint): PreparedName {
    let prepared = this.#names.get(statementName, tenantId);
    if (prepared === undefined) {
      prepared = { name: `projection_${++this.#made}`, pending: 0 };
      if (!this.#names.add(statementName, tenantId, prepared)) return { name: UNNAMED, pending: 1 };
    }
    prepared.pending += 1;
    return prepared;
  }
}
