// What access tokens are called between us and oidc-provider, which takes no JWT where tokens are looked up: their `jti`, with
// a mark that no client can send. A bare `jti` is no credential. Pure.

const MARK = 'jwt~';

/** The name of the token with this `jti`. */
export function toTokenName(jti: string): string {
  return MARK + jti;
}

/** The `jti` that a name stands for, or null when it is no such name. */
export function toJti(name: string): string | null {
  return name.startsWith(MARK) ? name.slice(MARK.length) : null;
}
