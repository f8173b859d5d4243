// What OAuth clients may be, whoever registers them: how they get tokens, where they send people back to, whether they have a secret.
import { SCOPES } from '../../auth/scopes.ts';
import { createClientSecret } from '../../auth/tokens.ts';
import { invalid } from '../../errors.ts';
import { GRANT_TYPES, MAX_CLIENT_NAME_LENGTH } from '../../resources/team-oauth-clients.ts';
import { parseKnown, parseName } from '../accounts/names.ts';
import { isNativeRedirect, parseRedirectUris } from './redirect-uris.ts';

export interface ClientTerms {
  readonly name: string;
  readonly grants: readonly string[];
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
  /** The client has no secret, because it runs where users could read one. */
  readonly isPublic: boolean;
}

/** The caller's names for the terms. */
export type TermNames = Readonly<Record<'grants' | 'redirectUris' | 'isPublic', string>>;

/**
 * The columns of a new client that follow from its terms, and its secret; a public client has none.
 * @throws AppError `invalid` for terms that contradict each other
 */
export function registration({ isPublic, ...terms }: ClientTerms, names: TermNames) {
  const name = parseName(terms.name, MAX_CLIENT_NAME_LENGTH);
  const grants = parseGrants(terms.grants, names.grants);
  const scopes = parseKnown(terms.scopes, SCOPES, 'scope', 'A client');
  const redirectUris = parseRedirectUris(terms.redirectUris, names.redirectUris);
  const usesCode = grants.includes('authorization_code');
  const usesCredentials = grants.includes('client_credentials');
  if (usesCode !== redirectUris.length > 0)
    throw invalid(names.redirectUris, {
      code: 'not_allowed',
      message: usesCode
        ? 'A client with authorization_code needs a redirect URI.'
        : 'Only a client with authorization_code has redirect URIs.',
    });
  if (usesCredentials && isPublic)
    throw invalid(names.isPublic, {
      code: 'not_allowed',
      message: 'A client with client_credentials cannot be public. It needs a secret.',
    });
  const secret = isPublic ? null : createClientSecret();
  const metadata = {
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: grants,
    response_types: usesCode ? ['code'] : [],
    token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
    scope: scopes.join(' '),
    // Native clients may use any port of a loopback address (RFC 8252 §7.3).
    application_type: redirectUris.some(isNativeRedirect) ? 'native' : 'web',
  };
  return {
    columns: { name, metadata, secretHash: secret?.hash ?? null, dynamic: false },
    secret: secret?.token ?? null,
    usesCredentials,
  };
}

function parseGrants(grants: readonly string[], field: string): string[] {
  const known = parseKnown(grants, GRANT_TYPES, 'grant', 'A client', field);
  if (grants.includes('refresh_token') && !grants.includes('authorization_code'))
    throw invalid(field, {
      code: 'not_allowed',
      message: 'The grant refresh_token needs authorization_code.',
    });
  return known;
}
