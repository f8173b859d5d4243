// What the authorization server remembers for a while: codes, refresh tokens, sessions, interactions. Their ids are
// credentials, so only their SHA-256 is stored; their payloads are not read here.
import { hash } from 'node:crypto';
import type { Prisma } from '#prisma';
import { idOfPublicId } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** One thing to remember. */
export interface NewState {
  readonly model: string;
  /** The code, token or cookie itself. */
  readonly id: string;
  /** Without the id. */
  readonly payload: Prisma.InputJsonObject;
  /** `key` of the grant that it ends with. */
  readonly grantKey: string | null;
  readonly uid: string | null;
  /** Of a session: the public id of who is signed in. */
  readonly userPublicId: string | null;
  readonly expiresAt: Date;
}

/** One thing that is remembered. */
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

const BY_ID: Statement = {
  name: 'oauth_states.by_id',
  text: `select payload, consumed_at as "consumedAt" from oauth_states
    where model = $1 and id_hash = $2 and expires_at > $3`,
};

const BY_UID: Statement = {
  name: 'oauth_states.by_uid',
  text: `select payload, consumed_at as "consumedAt" from oauth_states
    where model = $1 and uid = $2 and expires_at > $3 order by expires_at desc limit 1`,
};

const CONSUME: Statement = {
  name: 'oauth_states.consume',
  text: `update oauth_states set consumed_at = $3
    where model = $1 and id_hash = $2 and consumed_at is null returning 1`,
};

const REMOVE: Statement = {
  name: 'oauth_states.remove',
  text: 'delete from oauth_states where model = $1 and id_hash = $2',
};

const REMOVE_BY_UID: Statement = {
  name: 'oauth_states.remove_by_uid',
  text: 'delete from oauth_states where model = $1 and uid = $2',
};

const REMOVE_OF_GRANT: Statement = {
  name: 'oauth_states.remove_of_grant',
  text: 'delete from oauth_states where model = $1 and grant_key = $2',
};

/** Inserts a state, or replaces what it holds. What was consumed stays consumed. */
export async function saveState(store: Store, state: NewState): Promise<void> {
  const { model, id, payload, grantKey, uid, userPublicId, expiresAt } = state;
  const userId = userPublicId === null ? null : idOfPublicId('users', userPublicId);
  const values = [model, idHash(id), JSON.stringify(payload), grantKey, uid, userId, expiresAt];
  await query(store, SAVE, values);
}

/** Inserts a state that nobody vouches for: there are so many slots for such, and the oldest gives way. */
export async function saveStateInSlot(store: Store, state: NewState): Promise<void> {
  const { model, id, payload, expiresAt } = state;
  await query(store, SAVE_IN_SLOT, [model, idHash(id), JSON.stringify(payload), expiresAt]);
}

/** A state that has not expired at `at`, consumed ones included, or null. */
export async function findState(store: Store, model: string, id: string, at: Date): Promise<State | null> {
  return (await query<State>(store, BY_ID, [model, idHash(id), at]))[0] ?? null;
}

/** A state by the uid that it has besides its id, the one that lives longest if there are several, or null. */
export async function findStateByUid(
  store: Store,
  model: string,
  uid: string,
  at: Date,
): Promise<State | null> {
  return (await query<State>(store, BY_UID, [model, uid, at]))[0] ?? null;
}

/** Marks a state as used. Of many that try at once exactly one is told true: the rest came too late. */
export async function consumeState(store: Store, model: string, id: string, at: Date): Promise<boolean> {
  return (await query(store, CONSUME, [model, idHash(id), at])).length > 0;
}

/** Forgets a state. */
export async function deleteState(store: Store, model: string, id: string): Promise<void> {
  await query(store, REMOVE, [model, idHash(id)]);
}

/** Forgets every state with this uid. */
export async function deleteStateByUid(store: Store, model: string, uid: string): Promise<void> {
  await query(store, REMOVE_BY_UID, [model, uid]);
}

/** Forgets every state of one model that belongs to a grant. */
export async function deleteStatesOfGrant(store: Store, model: string, grantKey: string): Promise<void> {
  await query(store, REMOVE_OF_GRANT, [model, grantKey]);
}

/** What a state is stored under. Ids are random: SHA-256 suffices (DESIGN §3). */
export function idHash(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}
