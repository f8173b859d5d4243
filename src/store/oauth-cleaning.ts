// Deleting what has expired: states, access tokens, counts of tries. In small batches, so that no statement takes long;
// rows that another process is deleting are left to it.
import { query, type Statement, type Store } from './store.ts';

/** Tokens and states are kept a while longer, for clocks that are behind; counts as long as the longest window. */
const SWEEPS: readonly Statement[] = [
  {
    name: 'oauth_states.sweep',
    text: `delete from oauth_states where ctid = any(array(select ctid from oauth_states
      where expires_at < $1::timestamptz - interval '10 minutes' limit $2 for update skip locked)) returning 1`,
  },
  {
    name: 'oauth_access_tokens.sweep',
    text: `delete from oauth_access_tokens where ctid = any(array(select ctid from oauth_access_tokens
      where expires_at < $1::timestamptz - interval '10 minutes' limit $2 for update skip locked)) returning 1`,
  },
  {
    name: 'sign_in_failures.sweep',
    text: `delete from sign_in_failures where ctid = any(array(select ctid from sign_in_failures
      where window_start < $1::timestamptz - interval '1 day' limit $2 for update skip locked)) returning 1`,
  },
];

/** Deletes at most `limit` rows of each kind. Returns whether there may be more. */
export async function deleteExpired(store: Store, at: Date, limit: number): Promise<boolean> {
  let more = false;
  for (const sweep of SWEEPS) {
    const gone = await query(store, sweep, [at, limit]);
    more ||= gone.length === limit;
  }
  return more;
}
