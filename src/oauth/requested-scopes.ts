// The scopes that a client may request, and those that a request contains. Pure.
import { errors } from 'oidc-provider';
import { SCOPES } from '../auth/scopes.ts';

/** The scope of a request without scopes, from a client that registered none. */
const DEFAULT_SCOPE = 'account:read';

/** The scopes of a client; absent: all scopes. */
interface Scoped {
  readonly scope?: string | undefined;
}

/** The scopes that a client may request. */
export function allowedScopes({ scope }: Scoped): readonly string[] {
  return scope === undefined ? SCOPES : SCOPES.filter((known) => scope.split(' ').includes(known));
}

/**
 * The scopes of a request, whose parameter is optional (RFC 6749 §3.3).
 * @throws InvalidScope for scopes that are unknown, or that the client may not have
 */
export function requireScopes(parameter: unknown, client: Scoped): string[] {
  const trimmed = typeof parameter === 'string' ? parameter.trim() : '';
  const text = trimmed === '' ? (client.scope ?? DEFAULT_SCOPE) : trimmed;
  // Clients of OpenID providers add `offline_access` by habit; refresh tokens are issued here without it.
  const scopes = [...new Set(text.split(/\s+/))].filter((scope) => scope !== 'offline_access');
  const allowed = allowedScopes(client);
  const refused = scopes.filter((scope) => !allowed.includes(scope));
  if (refused.length > 0) throw new errors.InvalidScope('unknown or disallowed scope', refused.join(' '));
  return scopes;
}
