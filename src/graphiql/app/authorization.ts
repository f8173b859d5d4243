// OAuth with the gateway's own authorization server, as any browser client would do it: discovery first, authorization
// code with PKCE, refresh, revocation. It stores only the authorization request in progress.
import * as oauth from 'oauth4webapi';
import { asked, carry, signInFragment } from './address.ts';
import { type Operation, toFragment } from './operation-link.ts';

const client: oauth.Client = { client_id: 'graphiql' };
const storageKey = 'funnel-gateway:sign-in';
const issuer = document.querySelector<HTMLMetaElement>('meta[name="issuer"]')?.content ?? '';
// The issuer is `http:` only on this machine: elsewhere such a page is not a secure context, so nobody can sign in.
const options = { [oauth.allowInsecureRequests]: issuer.startsWith('http:') };

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly expiresAt: number;
}

/** False if the page has no authorization server: on custom domains, or if tokens come from an outside issuer. */
export const canSignIn = issuer !== '' && isSecureContext;

/** The page where people see and revoke their grants. */
export const accountUrl = `${issuer}/account`;

/** This page's URL on the issuer's host: only there does the page's policy allow requests to the issuer. */
const explorer = canSignIn ? new URL(location.pathname.replace(/\/$/, ''), issuer).href : '';

let metadata: Promise<oauth.AuthorizationServer> | undefined;

function discover(): Promise<oauth.AuthorizationServer> {
  metadata ??= oauth
    .discoveryRequest(new URL(issuer), { ...options, algorithm: 'oauth2' })
    .then((response) => oauth.processDiscoveryResponse(new URL(issuer), response));
  metadata.catch(() => {
    metadata = undefined;
  });
  return metadata;
}

/**
 * Leaves the page for the authorization server. Does not return if that works.
 * @param operation the operation in the editors, to restore afterwards: storage belongs to one origin only
 * @param firstScope the scope that the consent page lists first; '' for the usual order
 */
export async function leaveToSignIn(operation: Operation | null, firstScope: string): Promise<void> {
  if (new URL(explorer).origin !== location.origin) {
    const carried = operation === null ? null : toFragment(operation);
    if (operation !== null && carried === null) throw new TooLong();
    return location.assign(`${explorer}${signInFragment(carried, firstScope)}`);
  }
  if (operation !== null) carry(operation);
  const server = await discover();
  if (server.authorization_endpoint === undefined)
    throw new Error('The server has no authorization endpoint.');
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  sessionStorage.setItem(storageKey, JSON.stringify({ verifier, state }));
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: explorer,
    scope: scopesOf(server, firstScope).join(' '),
    resource: issuer,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  location.assign(url);
}

/** All scopes except wildcards, in the order of the consent page, where people can deselect each. */
function scopesOf({ scopes_supported = [] }: oauth.AuthorizationServer, first: string): string[] {
  const scopes = scopes_supported.filter((scope) => scope.includes(':'));
  const preferred = first.split(' ');
  return [
    ...scopes.filter((scope) => preferred.includes(scope)),
    ...scopes.filter((scope) => !preferred.includes(scope)),
  ];
}

/** The part of the page's URL that concerns signing in. */
export function takeCallback(): URLSearchParams | 'start' | null {
  if (!canSignIn) return null;
  return asked.callback ?? (asked.signIn ? 'start' : null);
}

/** Thrown when the query is too long to be moved to another host name of this service. */
export class TooLong extends Error {
  override readonly message = 'The query is too long to keep during sign-in. Shorten it first';
}

/**
 * The tokens for the code in the authorization server's answer.
 * @throws oauth.AuthorizationResponseError when the person or the server refused; Error when the answer is for another tab
 */
export async function redeem(callback: URLSearchParams): Promise<Tokens> {
  const pending = sessionStorage.getItem(storageKey);
  sessionStorage.removeItem(storageKey);
  if (pending === null) throw new Error('No sign-in is in progress in this tab.');
  const { verifier, state } = JSON.parse(pending) as { verifier: string; state: string };
  const server = await discover();
  const checked = oauth.validateAuthResponse(server, client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    checked,
    explorer,
    verifier,
    { ...options, additionalParameters: { resource: issuer } },
  );
  return toTokens(await oauth.processAuthorizationCodeResponse(server, client, response));
}

/** Whether the person or the authorization server refused, as opposed to a network failure. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;

/** New tokens for a refresh token, which is then used up. */
export async function refresh(refreshToken: string): Promise<Tokens> {
  const server = await discover();
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, {
    ...options,
    additionalParameters: { resource: issuer },
  });
  return toTokens(await oauth.processRefreshTokenResponse(server, client, response));
}

/** Ends the grant that the token came from. */
export async function revoke(token: string): Promise<void> {
  const server = await discover();
  const response = await oauth.revocationRequest(server, client, oauth.None(), token, options);
  await oauth.processRevocationResponse(response);
}

function toTokens({ access_token, refresh_token, expires_in = 0 }: oauth.TokenEndpointResponse): Tokens {
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    expiresAt: Date.now() + expires_in * 1000,
  };
}
