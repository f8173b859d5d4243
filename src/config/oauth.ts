// Parses the variables of the OAuth authorization server, the gateway's own or an outside one. Pure.

import { parseIssuer, parseSwitch } from './values.ts';
import type { Check, Variable, WholeNumber } from './variables.ts';

export interface OauthConfig {
  /** Clients may register themselves (RFC 7591). */
  readonly registration: boolean;
  /** Seconds that an access token lives. */
  readonly accessTokenTtlSeconds: number;
  /** An outside authorization server, in place of the gateway's own; null for the gateway's own. */
  readonly outside: OutsideIssuer | null;
}

/** An outside authorization server whose tokens are accepted, and the meaning of their claims. */
export interface OutsideIssuer {
  /** `iss`, and where its metadata is found (RFC 8414). */
  readonly issuer: string;
  /** The audience that `aud` must contain. */
  readonly audience: string;
  /** The claim with the team's id or public id. */
  readonly teamClaim: string;
  /** The claim with a list of workspaces' ids or public ids; where a token lacks it, it is for every workspace. */
  readonly workspacesClaim: string;
  /** The claim with the scopes, as a list or as text with spaces. */
  readonly scopesClaim: string;
}

/** What the variables say of OAuth. @param authUrl what tokens of an outside server are for, unless a variable says otherwise */
export function parseOauth(check: Check, wholeNumber: WholeNumber, authUrl: string): OauthConfig {
  return {
    registration: check('OAUTH_REGISTRATION', true, parseSwitch, 'on or off'),
    accessTokenTtlSeconds: wholeNumber('ACCESS_TOKEN_TTL', 30, 86_400),
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
