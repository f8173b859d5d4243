// Temporary data of the authorization server: codes, refresh tokens, sessions, interactions. Their ids are credentials, so only their
// SHA-256 is stored. Their payloads are not interpreted here.
import { hash } from 'node:crypto';
import type { Prisma } from '#prisma';
import { idOfPublicId } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** One state to store. */
export interface NewState {
  readonly model: string;
  /** The code, token or cookie itself. */
  readonly id: string;
  /** Without the id. */
  readonly payload: Prisma.InputJsonObject;
  /** The `key` of its grant; the state ends with the grant. */
  readonly grantKey: string | null;
  readonly uid: string | null;
  /** For a session: the public id of the signed-in user. */
  readonly userPublicId: string | null;
  readonly expiresAt: Date;
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

/** Inserts a state, or replaces its data. A consumed state stays consumed. */
export async function saveState(store: Store, state: NewState): Promise<void> {
  const { model, id, payload, grantKey, uid, userPublicId, expiresAt } = state;
  const userId = userPublicId === null ? null : idOfPublicId('users', userPublicId);
  const values = [model, idHash(id), JSON.stringify(payload), grantKey, uid, userId, expiresAt];
  await query(store, SAVE, values);
}

/** Inserts a state for an unauthenticated client. There is a fixed number of slots for such states, and a new one replaces the oldest. */
export async function saveStateInSlot(store: Store, state: NewState): Promise<void> {
  const { model, id, payload, expiresAt } = state;
  await query(store, SAVE_IN_SLOT, [model, idHash(id), JSON.stringify(payload), expiresAt]);
}

/** A state that has not expired at `at`, including consumed ones, or null. */
export async function findState(store: Store, model: string, id: string, at: Date): Promise<State | null> {
  return (await query<State>(store, BY_ID, [model, idHash(id), at]))[0] ?? null;
}

/** A state by its uid, a second key besides its id; the one that expires last if there are several; or null. */
export async function findStateByUid(
  store: Store,
  model: string,
  uid: string,
  at: Date,
): Promise<State | null> {
  return (await query<State>(store, BY_UID, [model, uid, at]))[0] ?? null;
}

/** Marks a state as used. Of several requests at once exactly one gets true. */
export async function consumeState(store: Store, model: string, id: string, at: Date): Promise<boolean> {
  return (await query(store, CONSUME, [model, idHash(id), at])).length > 0;
}

/** Deletes a state. */
export async function deleteState(store: Store, model: string, id: string): Promise<void> {
  await query(store, REMOVE, [model, idHash(id)]);
}

/** Deletes every state with this uid. */
export async function deleteStateByUid(store: Store, model: string, uid: string): Promise<void> {
  await query(store, REMOVE_BY_UID, [model, uid]);
}

/** Deletes every state of one model that belongs to a grant. */
export async function deleteStatesOfGrant(store: Store, model: string, grantKey: string): Promise<void> {
  await query(store, REMOVE_OF_GRANT, [model, grantKey]);
}

/** The key under which a state is stored. Ids are random, so a plain SHA-256 is enough. */
export function idHash(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}
