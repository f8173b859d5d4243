// What oidc-provider calls an adapter: its models over our tables. What can be used once is used up by one statement, so
// that of many who redeem it at once a single one succeeds, on however many processes.
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import type { App } from '../../context.ts';
import {
  findAccessToken,
  revokeAccessToken,
  revokeAccessTokensOfGrant,
} from '../../store/oauth-access-tokens.ts';
import { findGrantByKey, revokeGrant, saveGrant } from '../../store/oauth-grants.ts';
import {
  consumeState,
  deleteState,
  deleteStatesOfGrant,
  findState,
  findStateByUid,
  type NewState,
  type State,
  saveState,
  saveStateInSlot,
} from '../../store/oauth-states.ts';
import { isStorable } from '../../store/storable.ts';
import { findUserByPublicId } from '../../store/users.ts';
import { admit } from './admission.ts';
import { clientAdapter } from './clients.ts';
import type { Issuances } from './issuances.ts';
import { toJti } from './token-names.ts';

type Json = NewState['payload'];

/** For models that say no time: none that are in use. */
const DEFAULT_TTL_SECONDS = 3_600;

/** What no model asks of its adapter, unless it has its own. */
const UNUSED: Adapter = {
  upsert: () => Promise.reject(new Error('This model is not stored.')),
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** The adapter for each model by its name. */
export function createAdapterFactory(app: App, issuances: Issuances): AdapterFactory {
  return (model) => {
    switch (model) {
      case 'Client':
        return { ...UNUSED, ...clientAdapter(app) };
      case 'Grant':
        return { ...UNUSED, ...grantAdapter(app) };
      case 'AccessToken':
      case 'ClientCredentials':
        return { ...UNUSED, ...accessTokenAdapter(app, model) };
      case 'AuthorizationCode':
      case 'RefreshToken':
        return { ...UNUSED, ...stateAdapter(app, model), ...redeemedAdapter(app, issuances, model) };
      default:
        return { ...UNUSED, ...stateAdapter(app, model) };
    }
  };
}

function grantAdapter(app: App): Partial<Adapter> {
  return {
    async upsert(key, payload, ttlSeconds = DEFAULT_TTL_SECONDS) {
      const { accountId = '', clientId = '' } = payload;
      const user = await findUserByPublicId(app.store, accountId);
      if (user === null) throw new errors.InvalidGrant('the person is not there any more');
      const expiresAt = new Date(app.clock().getTime() + ttlSeconds * 1_000);
      await saveGrant(app.store, { key, userId: user.id, clientId, payload: toJson(payload), expiresAt });
    },
    async find(key) {
      const grant = await findGrantByKey(app.store, key, app.clock());
      return grant === null ? undefined : (grant.payload as AdapterPayload);
    },
    async destroy(key) {
      await revokeGrant(app.store, { key }, app.clock());
      app.lookups.forget();
    },
  };
}

/** Access tokens are JWTs: noted when they are signed (provider.ts), found by their names. */
function accessTokenAdapter(app: App, kind: string): Partial<Adapter> {
  return {
    async find(name) {
      const jti = toJti(name);
      const payload = jti && (await findAccessToken(app.store, kind, jti, app.clock()));
      return payload ? ({ ...payload, jti: name } as AdapterPayload) : undefined;
    },
    async destroy(name) {
      const jti = toJti(name);
      if (jti !== null) await revokeAccessToken(app.store, jti, app.clock());
      app.lookups.forget();
    },
    async revokeByGrantId(key) {
      await revokeAccessTokensOfGrant(app.store, key, app.clock());
      app.lookups.forget();
    },
  };
}

function stateAdapter(app: App, model: string): Partial<Adapter> {
  const { store } = app;
  return {
    async upsert(id, payload, ttlSeconds) {
      // A session of nobody's says nothing; the library has one for each request whose session is over.
      if (model === 'Session' && payload.accountId === undefined) return;
      const state = toState(app, model, id, payload, ttlSeconds);
      await ((await admit(app, state)) ? saveStateInSlot : saveState)(store, state);
    },
    find: async (id) => toPayload(await findState(store, model, id, app.clock()), id),
    findByUid: async (uid) => toPayload(await findStateByUid(store, model, uid, app.clock())),
    async consume(id) {
      if (!(await consumeState(store, model, id, app.clock())))
        throw new errors.InvalidRequestUri('already used');
    },
    destroy: (id) => deleteState(store, model, id),
    revokeByGrantId: (key) => deleteStatesOfGrant(store, model, key),
  };
}

/** Codes and refresh tokens: used up together with what is given for them. */
function redeemedAdapter(app: App, issuances: Issuances, model: string): Partial<Adapter> {
  return {
    async consume(id) {
      issuances.use({ model, id });
    },
    ...(model === 'RefreshToken' && {
      upsert: (id, payload, ttlSeconds) =>
        issuances.add({ refreshToken: toState(app, model, id, payload, ttlSeconds) }),
    }),
  };
}

function toState(
  app: App,
  model: string,
  id: string,
  { jti: _, ...payload }: AdapterPayload,
  ttlSeconds = DEFAULT_TTL_SECONDS,
): NewState {
  const ofGrant = model !== 'Session' && model !== 'Interaction';
  return {
    model,
    id,
    payload: toJson(model === 'Interaction' ? withoutCookie(payload) : payload),
    grantKey: (ofGrant ? payload.grantId : undefined) ?? null,
    uid: (model === 'Session' ? payload.uid : undefined) ?? null,
    userPublicId: (model === 'Session' ? payload.accountId : undefined) ?? null,
    expiresAt: new Date(app.clock().getTime() + ttlSeconds * 1_000),
  };
}

function toPayload(state: State | null, id?: string): AdapterPayload | undefined {
  if (state === null) return undefined;
  const { payload, consumedAt } = state;
  return {
    ...payload,
    ...(id !== undefined && { jti: id }),
    ...(consumedAt !== null && { consumed: Math.floor(consumedAt.getTime() / 1_000) }),
  } as AdapterPayload;
}

/** An interaction holds its session's cookie, which nothing reads: it is a credential, so it is not stored. */
function withoutCookie({ session, ...payload }: AdapterPayload): AdapterPayload {
  if (session === undefined) return payload;
  const { cookie: _, ...kept } = session as Record<string, unknown>;
  return { ...payload, session: kept } as AdapterPayload;
}

/** Payloads are JSON by contract, with what the client sent in them. */
function toJson(payload: AdapterPayload): Json {
  if (!isStorable(payload)) throw new errors.InvalidRequest('a parameter has a character that is no text');
  return payload as unknown as Json;
}
