// A read that checks whether a connection answers at all.
import type { Statement } from '../sql/statements.ts';
import { MAX_RESENDS, type Read } from './reading-connection.ts';

const PING: Statement = { name: '', text: 'select $1::int' };

/** A read for an idle connection. Its result is not used. */
export function createPing(): Read {
  return {
    statement: PING,
    values: [1],
    tenantId: 0n,
    resolve() {},
    reject() {},
    resends: MAX_RESENDS,
  };
}
