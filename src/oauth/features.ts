// The enabled features of oidc-provider, and their settings: extensions of OAuth, none of OpenID Connect.
import { errors, type Provider } from 'oidc-provider';
import { isResource } from '../auth/protected-resources.ts';
import { SIGNING_ALG } from '../auth/signing-keys.ts';
import { createClientId, createClientSecret } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { isLegacy } from './legacy-clients.ts';
import { allowedScopes, requireScopes } from './requested-scopes.ts';

export type Configuration = NonNullable<ConstructorParameters<typeof Provider>[1]>;

/** The `features` of the configuration. */
export function createFeatures(app: App): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: true },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: isOwnToken },
    introspection: { enabled: true, allowedPolicy: isOwnToken },
    registration: {
      enabled: app.config.oauth.registration,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      idFactory: () => createClientId(),
      secretFactory: () => createClientSecret().token,
    },
    resourceIndicators: createResourceIndicators(app),
  };
}

/** A client may introspect and revoke only its own tokens. */
function isOwnToken(_ctx: unknown, client: { clientId: string }, token: { clientId?: string | undefined }) {
  return client.clientId === token.clientId;
}

function createResourceIndicators(app: App): NonNullable<Configuration['features']>['resourceIndicators'] {
  const { authUrl, oauth } = app.config;
  return {
    enabled: true,
    defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? authUrl,
    useGrantedResource: () => true,
    async getResourceServerInfo(ctx, resource, client) {
      const { params, route } = ctx.oidc;
      // The library resolves resources before scopes, and would drop unknown ones.
      if (params !== undefined && route === 'token' && params['grant_type'] === 'client_credentials')
        params['scope'] = requireScopes(params['scope'], client).join(' ');
      if (!(await isResource(app, resource)))
        throw new errors.InvalidTarget('this resource is not served here');
      return {
        scope: allowedScopes(client).join(' '),
        audience: resource,
        // Opaque tokens are short enough for any column, and do not depend on a signing key, which is kept for a day after its last use.
        accessTokenFormat: isLegacy(client) ? 'opaque' : 'jwt',
        accessTokenTTL: oauth.accessTokenTtlSeconds,
        jwt: { sign: { alg: SIGNING_ALG } },
      };
    },
  };
}
