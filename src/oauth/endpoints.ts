// Where the authorization server's endpoints are, below {auth_url}. Pure.

/** What they all are below, but for the account page. */
export const OAUTH_PATH = '/oauth';

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
