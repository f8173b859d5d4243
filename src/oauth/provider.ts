// The configuration of oidc-provider: OAuth 2.1 without OpenID Connect (RFC 9700, RFC 9068, RFC 9207). Loaded together with the library.
import type { EventEmitter } from 'node:events';
import {
  type AccessToken,
  type ClientCredentials,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { SCOPES } from '../auth/scopes.ts';
import { SIGNING_ALG, type SigningKeys } from '../auth/signing-keys.ts';
import { createOpaqueToken } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { findEnabled } from '../services/accounts/users.ts';
import {
  type IssuedAccessToken,
  insertAccessToken,
  LEGACY_MEMBER,
} from '../services/sign-in/oauth-records.ts';
import { personOf, secondsLeft } from '../services/sign-in/sessions.ts';
import { createAdapterFactory } from './adapter.ts';
import { renderError } from './authorization-errors.ts';
import { checkClient } from './client-metadata.ts';
import { isSecretOf } from './clients.ts';
import { ENDPOINTS } from './endpoints.ts';
import { type Configuration, createFeatures } from './features.ts';
import { createIssuances, getsRefreshToken, type Issuances } from './issuances.ts';
import {
  createLegacyAnswers,
  isLegacy,
  type LegacyAnswers,
  mayOmitPkce,
  requireState,
  secondsOfGrant,
} from './legacy-clients.ts';
import { requireScopes } from './requested-scopes.ts';
import { claimsOf } from './token-claims.ts';

const DAY_SECONDS = 86_400;

/** Lifetimes in seconds, except those of sessions and access tokens. Using a refresh token does not prolong its grant. */
const TTL_SECONDS = {
  AuthorizationCode: 60,
  PushedAuthorizationRequest: 60,
  Interaction: 900,
  RefreshToken: 30 * DAY_SECONDS,
  Grant: 365 * DAY_SECONDS,
};

/**
 * The name of an extra parameter and metadata member. The library calls our function for it in every request, although clients never send
 * it. Its value is the response mode that was removed from the request.
 */
const HOOK = 'funnel_gateway';

/**
 * A provider that signs with the active key. All its state is in the store, so another provider can replace it at any time.
 * @param offered the scopes that clients can request
 */
export function createProvider(app: App, keys: SigningKeys, offered: ReadonlySet<string>): Provider {
  const answers = createLegacyAnswers(app);
  const provider = new Provider(app.config.authUrl, createConfiguration(app, keys, offered, answers));
  const { prototype } = provider.Client as unknown as { prototype: ClientPrototype };
  // The stored secret is a hash (clients.ts), so the received secret is hashed before the comparison.
  prototype.compareClientSecret = async function (actual) {
    return isSecretOf(this.clientSecret, actual);
  };
  const { redirectUriAllowed } = prototype;
  // For native clients the library ignores the port of a loopback address.
  prototype.redirectUriAllowed = function (uri) {
    return isLegacy(this) ? this.redirectUris.includes(uri) : redirectUriAllowed.call(this, uri);
  };
  const { prototype: accessToken } = provider.AccessToken as unknown as { prototype: TokenPrototype };
  const { generateTokenId } = accessToken;
  accessToken.generateTokenId = function () {
    const id = generateTokenId.call(this);
    return this.format === 'opaque' ? createOpaqueToken() : id;
  };
  // Pages must not run the script of the library's `form_post`, not even the page that refuses this mode: the error is sent with `query`.
  provider.use(async (ctx, next) => {
    // `ctx.query` would take time in proportion to the square of the number of parameters.
    const query = new URLSearchParams(ctx.querystring);
    const otherMode = query.getAll('response_mode').find((mode) => mode !== 'query');
    if (otherMode !== undefined) {
      query.delete('response_mode');
      query.set(HOOK, otherMode);
      ctx.querystring = `${query}`;
    }
    await next();
    answers.complete(ctx);
  });
  const emitter: EventEmitter = provider;
  // Without a listener Koa prints the error.
  emitter.on('error', (error) => app.log.error({ err: error }, 'authorization server'));
  return provider;
}

interface ClientPrototype {
  readonly clientSecret?: string;
  readonly redirectUris: readonly string[];
  compareClientSecret(actual: string): Promise<boolean>;
  redirectUriAllowed(uri: string): boolean;
}

interface TokenPrototype {
  readonly format?: string;
  generateTokenId(): string;
}

function createConfiguration(
  app: App,
  { active }: SigningKeys,
  offered: ReadonlySet<string>,
  answers: LegacyAnswers,
): Configuration {
  const { authUrl, authPath: mount, oauth } = app.config;
  const issuances = createIssuances(app);
  // The prefix prevents other hosts of the domain from setting it (RFC 6265bis §4.1.3.2).
  const session = `${authUrl.startsWith('https:') ? '__Host-' : ''}fgw_session`;
  return {
    adapter: createAdapterFactory(app, issuances),
    jwks: { keys: [active.privateJwk] },
    cookies: {
      keys: app.keyring.keysFor('cookies').map((key) => key.toString('base64url')),
      names: { session, interaction: 'fgw_interaction', resume: 'fgw_resume' },
    },
    scopes: SCOPES,
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: SIGNING_ALG,
      token_endpoint_auth_method: 'client_secret_basic',
    },
    pkce: { required: (_ctx, client) => !mayOmitPkce(client) },
    allowOmittingSingleRegisteredRedirectUri: false,
    acceptQueryParamAccessTokens: false,
    enableHttpPostMethods: false,
    routes: ENDPOINTS,
    features: createFeatures(app),
    extraParams: { [HOOK]: createCheck(offered) },
    extraClientMetadata: {
      properties: [HOOK, LEGACY_MEMBER],
      validator(ctx, key, value, metadata) {
        const isRegistration = ctx?.oidc.route === 'registration';
        if (value !== undefined && (key === HOOK || isRegistration))
          throw new errors.InvalidClientMetadata(`${key} is not to be given`);
        if (key === HOOK) checkClient(metadata, isRegistration);
      },
    },
    issueRefreshToken: (_ctx, client) => getsRefreshToken(client),
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    async extraTokenClaims(ctx, token) {
      if (token.kind === 'AccessToken') await answers.prepare(ctx, token.grantId);
      return claimsOf(app, token);
    },
    formats: {
      customizers: { jwt: (_ctx, token, { payload }) => recordToken(app, issuances, token, payload) },
    },
    async findAccount({ oidc: { session } }, sub, token) {
      // Tokens outlive the session in which they were issued.
      const user = token === undefined ? await personOf(app, session ?? {}) : await findEnabled(app, sub);
      if (user === null) return undefined;
      return { accountId: sub, claims: async () => ({ sub }) };
    },
    interactions: {
      policy: createPolicy(),
      url: (_ctx, { uid }) => `${mount}${ENDPOINTS.interaction}/${uid}`,
    },
    ttl: {
      ...TTL_SECONDS,
      Session: (_ctx, session) => secondsLeft(app, session),
      AccessToken: (ctx, _token, client) =>
        isLegacy(client) ? secondsOfGrant(ctx) : oauth.accessTokenTtlSeconds,
      ClientCredentials: oauth.accessTokenTtlSeconds,
      IdToken: oauth.accessTokenTtlSeconds,
    },
    renderError,
    // No enabled feature needs to fetch anything, and a client's metadata must not cause a request.
    fetch: () => Promise.reject(new Error('The authorization server fetches nothing.')),
  };
}

type ExtraParam = (
  ctx: { oidc: { params?: Record<string, unknown> | undefined } },
  otherMode: unknown,
  client: NonNullable<KoaContextWithOIDC['oidc']['client']>,
) => void;

/**
 * Refuses other response modes than `query`, gives every request explicit scopes, and refuses unknown scopes, which the library would
 * silently drop. It drops scopes of ours that no operation needs: older clients request them, and the response says which scopes were
 * granted (RFC 6749 §3.3).
 */
function createCheck(offered: ReadonlySet<string>): ExtraParam {
  return ({ oidc: { params } }, otherMode, client) => {
    if (params === undefined) return;
    if (otherMode !== undefined || (params['response_mode'] ?? 'query') !== 'query')
      throw new errors.InvalidRequest('response_mode must be query');
    requireState(params, client);
    const scopes = requireScopes(params['scope'], client);
    const useful = scopes.filter((scope) => offered.has(scope));
    if (scopes.length > 0 && useful.length === 0)
      throw new errors.InvalidScope('no operation needs any of these scopes', scopes.join(' '));
    params['scope'] = useful.join(' ');
  };
}

/** If the session has ended, the person signs in again; without this the consent step would not find the person. */
function createPolicy() {
  const prompts = interactionPolicy.base();
  const isGone = new interactionPolicy.Check(
    'account_gone',
    'sign in again',
    'login_required',
    ({ oidc }) => {
      return oidc.session?.accountId !== undefined && oidc.account === undefined;
    },
  );
  prompts.get('login')?.checks.add(isGone);
  return prompts;
}

/** Records the data of a token for revocation and introspection, because the library does not store the JWTs that it signs. */
async function recordToken(
  app: App,
  issuances: Issuances,
  token: AccessToken | ClientCredentials,
  claims: object,
): Promise<void> {
  const {
    jti,
    iat,
    exp,
    aud,
    scope,
    client_id: clientId,
  } = claims as Record<string, string | number | undefined>;
  const grantId = 'grantId' in token ? token.grantId : undefined;
  const accountId = 'accountId' in token ? token.accountId : undefined;
  const { kind, extra } = token;
  const payload = { jti, kind, iat, exp, aud, scope, clientId, accountId, grantId, extra };
  const issued: IssuedAccessToken = {
    jti: String(jti),
    kind,
    // JSON omits members that are undefined.
    payload: payload as IssuedAccessToken['payload'],
    clientId: String(clientId),
    grantKey: grantId ?? null,
    expiresAt: new Date(Number(exp) * 1_000),
  };
  if (kind === 'ClientCredentials') await insertAccessToken(app, issued);
  else await issuances.add({ accessToken: issued });
}
