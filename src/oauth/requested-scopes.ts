// The scopes that a client may ask for, and those that a request does ask for. Pure.
import { SCOPES } from '../auth/scopes.ts';

/** Asked for by a client that registered no scope and names none: enough to see where it is. */
const DEFAULT_SCOPE = 'account:read';

/** A client, as far as its scopes go: absent means all of them. */
interface Scoped {
  readonly scope?: string | undefined;
}

/** The scopes that a client may ask for. */
export function allowedScopes({ scope }: Scoped): readonly string[] {
  return scope === undefined ? SCOPES : SCOPES.filter((known) => scope.split(' ').includes(known));
}

/** The scopes of a request, which may lack the parameter (RFC 6749 §3.3), and those of them that cannot be had. */
export function requestedScopes(
  parameter: unknown,
  client: Scoped,
): { readonly scopes: string[]; readonly refused: string[] } {
  const given = typeof parameter === 'string' ? parameter.trim() : '';
  const text = given === '' ? (client.scope ?? DEFAULT_SCOPE) : given;
  // What clients of OpenID providers add by habit: refresh tokens come without it.
  const scopes = [...new Set(text.split(/\s+/))].filter((scope) => scope !== 'offline_access');
  const allowed = allowedScopes(client);
  return { scopes, refused: scopes.filter((scope) => !allowed.includes(scope)) };
}
