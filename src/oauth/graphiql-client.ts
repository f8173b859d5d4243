// GraphiQL and the REST reference as one OAuth client: public, and built in. Pure.

import { SCOPES } from '../auth/scopes.ts';
import type { Config } from '../config/config.ts';

/** Its metadata (RFC 7591 §2). The redirect URI comes from the configuration, so this replaces the stored metadata. */
export function graphiqlMetadata(config: Config) {
  const { origin } = new URL(config.authUrl);
  return {
    client_name: 'GraphiQL',
    redirect_uris: [`${origin}/graphql`, `${origin}/api/v2`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    token_endpoint_auth_method: 'none' as const,
    application_type: 'web' as const,
    scope: SCOPES.join(' '),
  };
}
