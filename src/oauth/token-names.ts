// The names by which oidc-provider looks up access tokens, because it cannot look up a JWT: the token's `jti` after a prefix that no
// client can send. A `jti` alone is not a credential. Pure.

const PREFIX = 'jwt~';

/** The name of the token with this `jti`. */
export function toTokenName(jti: string): string {
  return PREFIX + jti;
}

/** The `jti` of a name, or null when it is no such name. */
export function toJti(name: string): string | null {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;
}
