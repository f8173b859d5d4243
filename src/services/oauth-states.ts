// Short-lived state of the authorization server: codes, refresh tokens, sessions, interactions, pushed requests. Only the authorization
// server knows the meaning of their fields.
import type { App } from '../context.ts';
import * as states from '../store/accounts/oauth-states.ts';

export type NewState = states.NewState;
export type State = states.State;

/**
 * Saves a state, or replaces its saved content. A consumed state stays consumed.
 * @param isUntrusted an unauthenticated client can cause this state: such states share a fixed number of slots, and a new one replaces
 *   the oldest
 */
export async function save(app: App, state: NewState, isUntrusted = false): Promise<void> {
  await (isUntrusted ? states.saveStateInSlot : states.saveState)(app.store, state);
}

/** A state that has not expired, consumed ones included, or null. Its id is the code, token or cookie itself; sessions have a `uid` too. */
export async function find(app: App, model: string, filter: states.StateFilter): Promise<State | null> {
  return states.findState(app.store, model, filter, app.clock());
}

/** Marks a state as used. When several callers try at once, in any number of processes, exactly one gets true. */
export async function consume(app: App, model: string, id: string): Promise<boolean> {
  return states.consumeState(app.store, model, id, app.clock());
}

/** Deletes a state, or every state of the model that belongs to a grant. */
export async function remove(app: App, model: string, filter: states.StateFilter): Promise<void> {
  await states.deleteStates(app.store, model, filter);
}
