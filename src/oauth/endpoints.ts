// The paths of the authorization server's endpoints, below {auth_url}. Pure.

/** The common prefix of all endpoints, except the account page. */
const OAUTH_PATH = '/oauth';

/** The endpoints of oidc-provider, by the library's names, and the pages for people between them. */
export const ENDPOINTS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  registration: '/oauth/register',
  pushed_authorization_request: '/oauth/par',
  end_session: '/oauth/session/end',
  interaction: '/oauth/interaction',
} as const;

/** The path of the account page. */
export const ACCOUNT_PATH = '/account';

/**
 * Whether a path belongs to the authorization server, even if no such page exists. People sign in there, and pages contain secrets.
 * @param authPath the path of {auth_url}
 */
export function isBelowAuthorizationServer(authPath: string, path: string): boolean {
  const starts = [authPath + OAUTH_PATH, authPath + ACCOUNT_PATH];
  return starts.some((start) => path === start || path.startsWith(`${start}/`));
}
