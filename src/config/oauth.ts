// Parses the variables of the OAuth authorization server, the gateway's own or an outside one. Pure.

import { parseIssuer, parseSwitch } from './values.ts';
import type { Check, Variable, WholeNumber } from './variables.ts';

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
export function parseOauth(check: Check, wholeNumber: WholeNumber, authUrl: string) {
  return {
    /** Clients may register themselves (RFC 7591). */
    registration: check('OAUTH_REGISTRATION', true, parseSwitch, 'on or off'),
    /** The lifetime of an access token, in seconds. */
    accessTokenTtlSeconds: wholeNumber('ACCESS_TOKEN_TTL', 30, 86_400),
    /** An outside authorization server; null if the gateway uses its own. */
    outside: parseOutside(check, authUrl),
  };
}

function parseOutside(check: Check, authUrl: string): OutsideIssuer | null {
  const text = (name: Variable, fallback: string) => check(name, fallback, (given) => given, 'a text');
  const issuer = check(
    'OAUTH_ISSUER',
    undefined,
    parseIssuer,
    'an https address without query, or http on loopback',
  );
  if (issuer === undefined) return null;
  return {
    issuer,
    audience: text('OAUTH_AUDIENCE', authUrl),
    teamClaim: text('OAUTH_TEAM_CLAIM', 'team'),
    workspacesClaim: text('OAUTH_WORKSPACES_CLAIM', 'workspaces'),
    scopesClaim: text('OAUTH_SCOPES_CLAIM', 'scope'),
  };
}
