// The authorization server's metadata (RFC 8414), from the library, without the members of OpenID Connect; and the public keys.
import { SCOPES } from '../auth/scopes.ts';
import { signingKeys } from '../auth/signing-keys.ts';
import type { Engine } from './engine.ts';
import { createOauthRequest, type OauthRequest } from './oauth-request.ts';

/** Members that concern only OpenID Connect. */
const OPENID_MEMBERS =
  /^(subject_types_supported|id_token_.*|claims?_.*|userinfo_.*|request_(object|uri|parameter).*|require_request_uri.*|acr_.*|end_session_endpoint|backchannel_.*)$/;

const PUBLIC = { 'Cache-Control': 'public, max-age=60' };

/** The document; it is the same at each of its addresses. */
export async function metadata(engine: Engine, request: OauthRequest): Promise<Response> {
  const { authUrl } = engine.app.config;
  const raw = new Request(`${authUrl}/.well-known/oauth-authorization-server`);
  const answer = await engine.answer(createOauthRequest({ ...request, raw }));
  const members = Object.entries((await answer.json()) as Record<string, unknown>);
  const document = {
    ...Object.fromEntries(members.filter(([name]) => !OPENID_MEMBERS.test(name))),
    scopes_supported: SCOPES,
    response_modes_supported: ['query'],
    protected_resources: [authUrl],
  };
  return Response.json(document, { headers: PUBLIC });
}

/** The public keys of past, current and future access tokens (RFC 7517 §5). */
export async function jwks({ app }: Engine): Promise<Response> {
  const { published } = await signingKeys(app);
  return Response.json(
    { keys: published },
    { headers: { ...PUBLIC, 'Content-Type': 'application/jwk-set+json' } },
  );
}
