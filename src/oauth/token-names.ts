// The names by which oidc-provider looks access tokens up, as it cannot look up a JWT: the token's `jti` behind a prefix that
// no client can send. A `jti` alone is no credential. Pure.

const PREFIX = 'jwt~';

/** The name of the token with this `jti`. */
export function toTokenName(jti: string): string {
  return PREFIX + jti;
}

/** The `jti` that a name stands for, or null when it is no such name. */
export function toJti(name: string): string | null {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;
}
