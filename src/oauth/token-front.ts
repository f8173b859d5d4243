// Revocation (RFC 7009) and introspection (RFC 7662) of access tokens. Ours are JWTs, which the library takes on neither
// endpoint: it is handed the `jti` of a token whose signature is ours, and does the rest, first of all client authentication.
import { errors, jwtVerify } from 'jose';
import { SIGNING_ALG, verifyingKeys } from '../auth/signing-keys.ts';
import type { Engine } from './engine.ts';
import type { Visit } from './oauth-request.ts';
import { toTokenName } from './token-names.ts';

/** What no token is called: the answer is that of an unknown one. */
const UNKNOWN = 'unknown';

/** Ends a token. @throws AppError `unavailable`, `unsupported_media_type`, `payload_too_large` */
export async function revoke(engine: Engine, visit: Visit): Promise<Response> {
  const { body } = await replaceToken(engine, visit);
  return engine.answer(visit, body);
}

/** Says whether a token is live, and what it is for. @throws AppError as `revoke` */
export async function introspect(engine: Engine, visit: Visit): Promise<Response> {
  const { body, jti } = await replaceToken(engine, visit);
  const answer = await engine.answer(visit, body);
  if (jti === null || !answer.ok) return answer;
  const { headers, status } = answer;
  const said = (await answer.json()) as { active: boolean; client_id?: string };
  // As in the token: a client that acts for itself is its own subject (RFC 9068 §2.2).
  const whole = said.active ? { sub: said.client_id, ...said, jti } : said;
  return new Response(JSON.stringify(whole), { status, headers });
}

async function replaceToken(engine: Engine, visit: Visit): Promise<{ body: Uint8Array; jti: string | null }> {
  const form = await visit.form();
  const [token, ...more] = form.getAll('token');
  // Sent twice, it is the library's to refuse.
  const jti = token === undefined || more.length > 0 ? null : await jtiOf(engine, token);
  if (jti !== null) form.set('token', toTokenName(jti));
  // What has not the form of a refresh token is no token of ours, and must not be the name of one either.
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
