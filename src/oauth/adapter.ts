// The adapters of oidc-provider: they store its models through our services.
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import type { App } from '../context.ts';
import { isStorable } from '../rows/storable.ts';
import * as records from '../services/sign-in/oauth-records.ts';
import { admit } from './admission.ts';
import { clientAdapter } from './clients.ts';
import type { Issuances } from './issuances.ts';
import { endOf } from './legacy-clients.ts';
import { toTokenKey } from './token-names.ts';

type Json = records.NewState['payload'];

/** The lifetime of models without one; none of them is in use. */
const DEFAULT_TTL_SECONDS = 3_600;

/** Default functions, for those that a model does not need. */
const UNUSED: Adapter = {
  upsert: () => Promise.reject(new Error('This model is not stored.')),
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  // The library also destroys the grant, which ends everything that belongs to it.
  revokeByGrantId: async () => undefined,
};

/** Creates the adapter of a model by its name. */
export function createAdapterFactory(app: App, issuances: Issuances): AdapterFactory {
  const own: Readonly<Record<string, (model: string) => Partial<Adapter>>> = {
    Client: () => clientAdapter(app),
    Grant: () => grantAdapter(app),
    AccessToken: (model) => ({ ...accessTokenAdapter(app, model), ...opaqueTokenAdapter(issuances) }),
    ClientCredentials: (model) => accessTokenAdapter(app, model),
    AuthorizationCode: (model) => redeemedAdapter(app, issuances, model),
    RefreshToken: (model) => redeemedAdapter(app, issuances, model),
  };
  return (model) => ({ ...UNUSED, ...(own[model]?.(model) ?? stateAdapter(app, model)) });
}

function grantAdapter(app: App): Partial<Adapter> {
  return {
    async upsert(key, payload, ttlSeconds = DEFAULT_TTL_SECONDS) {
      const { accountId: userPublicId = '', clientId = '' } = payload;
      const isEndless = payload.exp !== undefined && endOf(payload.exp) === null;
      const expiresAt = isEndless ? null : new Date(app.clock().getTime() + ttlSeconds * 1_000);
      const grant = { key, userPublicId, clientId, payload: toJson(payload), expiresAt };
      if (!(await records.saveGrantOf(app, grant)))
        throw new errors.InvalidGrant('the person is not there any more');
    },
    async find(key) {
      const grant = await records.findGrantByKey(app, key);
      return grant === null ? undefined : (grant.payload as AdapterPayload);
    },
    destroy: (key) => records.endGrants(app, { key }),
  };
}

/** The adapter for access tokens: looks them up by name (token-names.ts). provider.ts records JWTs when it signs them. */
function accessTokenAdapter(app: App, kind: string): Partial<Adapter> {
  return {
    async find(name) {
      const key = toTokenKey(name);
      const payload = key && (await records.findAccessToken(app, kind, key));
      return payload ? ({ ...payload, jti: name } as AdapterPayload) : undefined;
    },
    async destroy(name) {
      const key = toTokenKey(name);
      if (key !== null) await records.endAccessToken(app, key);
    },
  };
}

/** Records an opaque token, which the library stores itself. */
function opaqueTokenAdapter(issuances: Issuances): Partial<Adapter> {
  return {
    async upsert(token, { jti: _, ...payload }) {
      const key = toTokenKey(token);
      const { clientId, grantId, exp } = payload;
      if (key === null || clientId === undefined || exp === undefined)
        throw new Error('This is no opaque token of a client.');
      const issued = { jti: key, kind: 'AccessToken', payload: toJson(payload), clientId } as const;
      await issuances.add({ accessToken: { ...issued, grantKey: grantId ?? null, expiresAt: endOf(exp) } });
    },
  };
}

function stateAdapter(app: App, model: string): Partial<Adapter> {
  return {
    async upsert(id, payload, ttlSeconds) {
      // The library creates a new session for each request that has none; without a person, it need not be stored.
      if (model === 'Session' && payload.accountId === undefined) return;
      const state = toState(app, model, id, payload, ttlSeconds);
      await records.saveState(app, state, await admit(app, state));
    },
    find: async (id) => toPayload(await records.findState(app, model, { id }), id),
    findByUid: async (uid) => toPayload(await records.findState(app, model, { uid })),
    async consume(id) {
      if (!(await records.consumeState(app, model, id))) throw new errors.InvalidRequestUri('already used');
    },
    destroy: (id) => records.deleteState(app, model, { id }),
  };
}

/** The adapter for codes and refresh tokens, which are consumed together with storing the new tokens (issuances.ts). */
function redeemedAdapter(app: App, issuances: Issuances, model: string): Partial<Adapter> {
  return {
    ...stateAdapter(app, model),
    async consume(id) {
      issuances.recordUse({ model, id });
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
): records.NewState {
  const belongsToGrant = model !== 'Session' && model !== 'Interaction';
  return {
    model,
    id,
    payload: toJson(model === 'Interaction' ? withoutCookie(payload) : payload),
    grantKey: (belongsToGrant ? payload.grantId : undefined) ?? null,
    uid: (model === 'Session' ? payload.uid : undefined) ?? null,
    userPublicId: (model === 'Session' ? payload.accountId : undefined) ?? null,
    expiresAt: new Date(app.clock().getTime() + ttlSeconds * 1_000),
  };
}

function toPayload(state: records.State | null, id?: string): AdapterPayload | undefined {
  if (state === null) return undefined;
  const { payload, consumedAt } = state;
  return {
    ...payload,
    ...(id !== undefined && { jti: id }),
    ...(consumedAt !== null && { consumed: Math.floor(consumedAt.getTime() / 1_000) }),
  } as AdapterPayload;
}

/** Removes the session's cookie from an interaction: no code reads this credential, so it is not stored. */
function withoutCookie({ session, ...payload }: AdapterPayload): AdapterPayload {
  if (session === undefined) return payload;
  const { cookie: _, ...kept } = session as Record<string, unknown>;
  return { ...payload, session: kept } as AdapterPayload;
}

/** The library's payloads are JSON and contain parameters from the client. @throws InvalidRequest for text that cannot be stored */
function toJson(payload: AdapterPayload): Json {
  if (!isStorable(payload)) throw new errors.InvalidRequest('a parameter has a character that is no text');
  return payload as unknown as Json;
}
