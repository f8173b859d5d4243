// Parses the variables of the OAuth authorization server, the gateway's own or an outside one. Pure.
import { anyText, issuerUrl, onOrOff, wholeNumber } from './values.ts';
import type { Read } from './variables.ts';

/** An outside authorization server whose tokens are accepted, and the meaning of their claims. */
export interface OutsideIssuer {
  /** `iss`, which also leads to its metadata (RFC 8414). */
  readonly issuer: string;
  /** The audience that `aud` must contain. */
  readonly audience: string;
  /** The claim with the team's id or public id. */
  readonly teamClaim: string;
  /** The claim with a list of workspaces' ids or public ids; a token without it is valid for every workspace. */
  readonly workspacesClaim: string;
  /** The claim with the scopes, as a list or as text with spaces. */
  readonly scopesClaim: string;
}

/** Parses the variables of OAuth. @param authUrl the default audience of an outside server's tokens */
export function parseOauth(read: Read, authUrl: string) {
  return {
    /** Clients may register themselves (RFC 7591). */
    registration: read.value('OAUTH_REGISTRATION', onOrOff),
    /** The lifetime of an access token, in seconds. */
    accessTokenTtlSeconds: read.value('ACCESS_TOKEN_TTL', wholeNumber(30, 86_400)),
    /** An outside authorization server; null if the gateway uses its own. */
    outside: parseOutside(read, authUrl),
  };
}

function parseOutside({ value, optional }: Read, authUrl: string): OutsideIssuer | null {
  const issuer = optional('OAUTH_ISSUER', issuerUrl, null);
  if (issuer === null) return null;
  return {
    issuer,
    audience: optional('OAUTH_AUDIENCE', anyText, authUrl),
    teamClaim: value('OAUTH_TEAM_CLAIM', anyText),
    workspacesClaim: value('OAUTH_WORKSPACES_CLAIM', anyText),
    scopesClaim: value('OAUTH_SCOPES_CLAIM', anyText),
  };
}
