// The configuration of oidc-provider: OAuth 2.1 and nothing of OpenID (RFC 9700, RFC 9068, RFC 9207). Loaded with the
// library at the first request to the authorization server.
import type { EventEmitter } from 'node:events';
import { type AccessToken, type ClientCredentials, errors, interactionPolicy, Provider } from 'oidc-provider';
import type { App } from '../../context.ts';
import { personOf, secondsLeft } from '../../services/sessions.ts';
import { type IssuedAccessToken, insertAccessToken } from '../../store/oauth-access-tokens.ts';
import { findUserByPublicId } from '../../store/users.ts';
import { SCOPES } from '../scopes.ts';
import { SIGNING_ALG, type SigningKeys } from '../signing-keys.ts';
import { createAdapterFactory } from './adapter.ts';
import { checkClient } from './client-metadata.ts';
import { isSecretOf } from './clients.ts';
import { ENDPOINTS } from './endpoints.ts';
import { type Configuration, createFeatures } from './features.ts';
import { createIssuances, getsRefreshToken, type Issuances } from './issuances.ts';
import { problemPage } from './pages/problem.ts';
import { requestedScopes } from './requested-scopes.ts';
import { claimsOf } from './token-claims.ts';

const DAY_SECONDS = 86_400;

/** Seconds that things live, besides sessions and access tokens. Refreshing does not prolong a grant: it is long, and ended by people. */
const TTL_SECONDS = {
  AuthorizationCode: 60,
  PushedAuthorizationRequest: 60,
  Interaction: 900,
  RefreshToken: 30 * DAY_SECONDS,
  Grant: 365 * DAY_SECONDS,
};

/** A member of requests and of clients that nobody sends: what stands for it runs for each of them. */
const HOOK = 'funnel_gateway';

/** A provider that signs with the active key. All it knows is in the store: another can take its place at any time. */
export function createProvider(app: App, keys: SigningKeys): Provider {
  const provider = new Provider(app.config.authUrl, createConfiguration(app, keys));
  const { prototype } = provider.Client as unknown as { prototype: ClientPrototype };
  // The secret's hash stands in the secret's place, so what is given is hashed before it is compared.
  prototype.compareClientSecret = async function (actual) {
    return isSecretOf(this.clientSecret, actual);
  };
  const emitter: EventEmitter = provider;
  // Koa would print it.
  emitter.on('error', (error) => app.log.error({ err: error }, 'authorization server'));
  return provider;
}

interface ClientPrototype {
  compareClientSecret(this: { readonly clientSecret?: string }, actual: string): Promise<boolean>;
}

function createConfiguration(app: App, { active }: SigningKeys): Configuration {
  const { authUrl, authPath: mount, oauth } = app.config;
  const issuances = createIssuances(app);
  // The prefix keeps other hosts of the domain from setting it (RFC 6265bis §4.1.3.2).
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
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    acceptQueryParamAccessTokens: false,
    enableHttpPostMethods: false,
    routes: ENDPOINTS,
    features: createFeatures(app),
    extraParams: { [HOOK]: setScope },
    extraClientMetadata: {
      properties: [HOOK],
      validator(ctx, _key, value, metadata) {
        if (value !== undefined) throw new errors.InvalidClientMetadata(`${HOOK} is not to be given`);
        checkClient(metadata, ctx?.oidc.route === 'registration');
      },
    },
    issueRefreshToken: (_ctx, client) => getsRefreshToken(client),
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    extraTokenClaims: (_ctx, token) => claimsOf(app, token),
    formats: { customizers: { jwt: (_ctx, token, { payload }) => note(app, issuances, token, payload) } },
    async findAccount({ oidc: { session } }, sub, token) {
      // Tokens outlive the session that they were got in.
      const user =
        token === undefined ? await personOf(app, session ?? {}) : await findUserByPublicId(app.store, sub);
      if (user === null || user.disabledAt !== null) return undefined;
      return { accountId: sub, claims: async () => ({ sub }) };
    },
    clientBasedCORS: (_ctx, origin, { redirectUris = [] }) =>
      origin !== 'null' && redirectUris.some((uri) => new URL(uri).origin === origin),
    interactions: {
      policy: createPolicy(),
      url: (_ctx, { uid }) => `${mount}${ENDPOINTS.interaction}/${uid}`,
    },
    ttl: {
      ...TTL_SECONDS,
      Session: (_ctx, session) => secondsLeft(app, session),
      AccessToken: oauth.accessTokenTtlSeconds,
      ClientCredentials: oauth.accessTokenTtlSeconds,
      IdToken: oauth.accessTokenTtlSeconds,
    },
    async renderError(ctx, { error, error_description: detail }) {
      const page = problemPage({
        status: ctx.status,
        title: 'This did not work',
        detail: String(detail ?? error),
      });
      for (const [name, value] of page.headers) ctx.set(name, value);
      ctx.body = await page.text();
    },
    // Nothing in use asks for another's document, and no client's metadata is to make it.
    fetch: () => Promise.reject(new Error('The authorization server fetches nothing.')),
  };
}

type ExtraParam = (
  ctx: { oidc: { params?: Record<string, unknown> | undefined } },
  value: unknown,
  client: { scope?: string | undefined },
) => void;

/** Every request names its scopes, and none that cannot be had: unknown ones would be left out without a word. */
const setScope: ExtraParam = ({ oidc: { params } }, _value, client) => {
  if (params === undefined) return;
  const { scopes, refused } = requestedScopes(params['scope'], client);
  if (refused.length > 0) throw new errors.InvalidScope('unknown or disallowed scope', refused.join(' '));
  params['scope'] = scopes.join(' ');
};

/** A session that does not count any more signs in again; without this the consent prompt would not find its person. */
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

/** The provider keeps nothing of a JWT that it signs: what revocation and introspection read is kept here. */
async function note(
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
  const kept = { jti, kind, iat, exp, aud, scope, clientId, accountId, grantId, extra };
  const issued: IssuedAccessToken = {
    jti: String(jti),
    kind,
    // What is undefined is left out as it is written.
    payload: kept as IssuedAccessToken['payload'],
    clientId: String(clientId),
    grantKey: grantId ?? null,
    expiresAt: new Date(Number(exp) * 1_000),
  };
  if (kind === 'ClientCredentials') await insertAccessToken(app.store, issued);
  else await issuances.add({ accessToken: issued });
}
