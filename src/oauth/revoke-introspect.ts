// Revocation (RFC 7009) and introspection (RFC 7662) of access tokens. The library accepts JWTs at neither endpoint. So it gets the `jti`
// of a token with a valid signature instead, and does the rest, beginning with client authentication.
import { errors, jwtVerify } from 'jose';
import { SIGNING_ALG, verifyingKeys } from '../auth/signing-keys.ts';
import type { Engine } from './engine.ts';
import { endOf } from './legacy-clients.ts';
import type { OauthRequest } from './oauth-request.ts';
import { toTokenName } from './token-names.ts';

/** A name that no token has; the library answers it as an unknown token. */
const UNKNOWN = 'unknown';

/** Revokes a token. @throws AppError `unavailable`, `unsupported_media_type`, `payload_too_large` */
export async function revoke(engine: Engine, request: OauthRequest): Promise<Response> {
  const { body } = await replaceToken(engine, request);
  return engine.answer(request, body);
}

/** Introspects a token. @throws AppError as `revoke` */
export async function introspect(engine: Engine, request: OauthRequest): Promise<Response> {
  const { body, jti } = await replaceToken(engine, request);
  const answer = await engine.answer(request, body);
  if (!answer.ok) return answer;
  const { headers, status } = answer;
  const described = (await answer.json()) as { active: boolean; client_id?: string; exp?: number };
  if (described.exp !== undefined && endOf(described.exp) === null) delete described.exp;
  // As in the token: a client that acts for itself is its own subject (RFC 9068 §2.2).
  const completed = described.active
    ? { sub: described.client_id, ...described, ...(jti !== null && { jti }) }
    : described;
  return new Response(JSON.stringify(completed), { status, headers });
}

async function replaceToken(
  engine: Engine,
  request: OauthRequest,
): Promise<{ body: Uint8Array; jti: string | null }> {
  const form = await request.form();
  const [token, ...more] = form.getAll('token');
  // The library refuses a repeated parameter.
  const jti = token === undefined || more.length > 0 ? null : await jtiOf(engine, token);
  if (jti !== null) form.set('token', toTokenName(jti));
  // A text that is neither our JWT nor has the form of a refresh token must not be used as a token's name.
  else if (token !== undefined && more.length === 0 && !/^[\w-]+$/.test(token)) form.set('token', UNKNOWN);
  return { body: Buffer.from(form.toString()), jti };
}

async function jtiOf({ app }: Engine, token: string): Promise<string | null> {
  if (!token.includes('.')) return null;
  const { keyOf } = await verifyingKeys(app);
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [SIGNING_ALG],
      typ: 'at+jwt',
      issuer: app.config.authUrl,
      currentDate: app.clock(),
    });
    return payload.jti ?? null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
