// Where the authorization server's endpoints are, below {auth_url}. Pure.

/** What they all are below, but for the account page. */
const OAUTH_PATH = '/oauth';

/** Those of oidc-provider by its own names for them, and the pages that people see in between. */
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

/** Where a person sees what they granted. */
export const ACCOUNT_PATH = '/account';

/**
 * Whether a path is the authorization server's, or beside one of those by mistake: there people sign in, and secrets are shown.
 * @param authPath the path of {auth_url}
 */
export function isBelowAuthorizationServer(authPath: string, path: string): boolean {
  const starts = [authPath + OAUTH_PATH, authPath + ACCOUNT_PATH];
  return starts.some((start) => path === start || path.startsWith(`${start}/`));
}
