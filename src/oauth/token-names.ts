// The names by which oidc-provider looks up access tokens, because it cannot look up a JWT: the token's `jti` after a prefix that no
// client can send. A `jti` alone is not a credential. Pure.

const PREFIX = 'jwt~';

/** The name of the token with this `jti`. */
export function toTokenName(jti: string): string {
  return PREFIX + jti;
}

/** The `jti` in a name; null for any other text. */
export function toJti(name: string): string | null {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;
}
