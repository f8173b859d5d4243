// Temporary data of the authorization server: codes, refresh tokens, sessions, interactions. Their ids are credentials, so only their
// SHA-256 is stored. Their payloads are opaque here.
import { hash } from 'node:crypto';
import type { Prisma } from '#prisma';
import { idOfPublicId } from '../sql/public-ids.ts';
import { type Statement, statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** One state to store. */
export interface NewState {
  readonly model: string;
  /** The code, the token, or the cookie's value. */
  readonly id: string;
  /** The state's data without the id. */
  readonly payload: Prisma.InputJsonObject;
  /** The `key` of its grant; the state ends with the grant. */
  readonly grantKey: string | null;
  readonly uid: string | null;
  /** For a session: the public id of the signed-in user. */
  readonly userPublicId: string | null;
  readonly expiresAt: Date;
}

/** The store and the current time. */
export interface Records {
  readonly store: Store;
  readonly clock: () => Date;
}

/** One stored state. */
export interface State {
  readonly payload: Prisma.JsonObject;
  readonly consumedAt: Date | null;
}

const SAVE: Statement = {
  name: 'oauth_states.save',
  text: `insert into oauth_states (model, id_hash, payload, grant_key, uid, user_id, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (model, id_hash) do update set payload = excluded.payload, grant_key = excluded.grant_key,
      uid = excluded.uid, user_id = excluded.user_id, expires_at = excluded.expires_at`,
};

const SAVE_IN_SLOT: Statement = {
  name: 'oauth_states.save_in_slot',
  text: `with next as (select nextval('oauth_states_slot_seq') as slot),
    gone as (delete from oauth_states s using next where s.slot = next.slot)
    insert into oauth_states (model, id_hash, payload, expires_at, slot)
    select $1::text, $2::bytea, $3::jsonb, $4::timestamptz, slot from next`,
};

const CONSUME: Statement = {
  name: 'oauth_states.consume',
  text: `update oauth_states set consumed_at = $3
    where model = $1 and id_hash = $2 and consumed_at is null returning 1`,
};

/** Selects states of one model: by id, or a session by uid. */
type StateFilter = { readonly id: string } | { readonly uid: string };

/** The column that a filter compares, and the value. */
function comparedBy(filter: StateFilter): [column: string, value: unknown] {
  return 'id' in filter ? ['id_hash', idHash(filter.id)] : ['uid', filter.uid];
}

/**
 * Inserts a state, or replaces its data. A consumed state remains consumed.
 * @param isUntrusted whether an unauthenticated client can create this state: such states share a fixed number of slots, and a new one
 * replaces the oldest
 */
export async function saveState(
  { store }: Pick<Records, 'store'>,
  state: NewState,
  isUntrusted: boolean,
): Promise<void> {
  const { model, id, payload, grantKey, uid, userPublicId, expiresAt } = state;
  const stored = [model, idHash(id), JSON.stringify(payload)];
  const userId = userPublicId === null ? null : idOfPublicId('users', userPublicId);
  await (isUntrusted
    ? query(store, SAVE_IN_SLOT, [...stored, expiresAt])
    : query(store, SAVE, [...stored, grantKey, uid, userId, expiresAt]));
}

/** Finds a state that has not expired, consumed or not; of several, the one that expires last; or null. */
export async function findState(
  { store, clock }: Records,
  model: string,
  filter: StateFilter,
): Promise<State | null> {
  const [column, value] = comparedBy(filter);
  const find = statement(
    `oauth_states.by_${column}`,
    () => `select payload, consumed_at as "consumedAt" from oauth_states
      where model = $1 and ${column} = $2 and expires_at > $3 order by expires_at desc limit 1`,
  );
  return (await query<State>(store, find, [model, value, clock()]))[0] ?? null;
}

/** Marks a state as used. Of concurrent callers, in any number of processes, exactly one gets true. */
export async function consumeState({ store, clock }: Records, model: string, id: string): Promise<boolean> {
  return (await query(store, CONSUME, [model, idHash(id), clock()])).length > 0;
}

/** Deletes a state. */
export async function deleteState(
  { store }: Pick<Records, 'store'>,
  model: string,
  filter: StateFilter,
): Promise<void> {
  const [column, value] = comparedBy(filter);
  const remove = statement(
    `oauth_states.remove_by_${column}`,
    () => `delete from oauth_states where model = $1 and ${column} = $2`,
  );
  await query(store, remove, [model, value]);
}

/** The key of a stored state. Ids are random, so a plain SHA-256 is enough. */
export function idHash(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}
