// The names by which oidc-provider looks up access tokens. An opaque token is its own name, and the store has its hash. A JWT cannot be looked
// up: its name is the token's `jti` after a prefix that no client can send. A `jti` alone is not a credential. Pure.
import { opaqueTokenKey } from '../auth/tokens.ts';

const PREFIX = 'jwt~';

/** The name of the JWT with this `jti`. */
export function toTokenName(jti: string): string {
  return PREFIX + jti;
}

/** The key under which the store has the token with this name; null for any other text. */
export function toTokenKey(name: string): string | null {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : opaqueTokenKey(name);
}
