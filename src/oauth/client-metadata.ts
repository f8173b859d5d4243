// Checks of a client's metadata beyond those of the library (RFC 7591 §2, RFC 8252, RFC 9700 §2.1).
import { errors } from 'oidc-provider';
import { AppError } from '../errors.ts';
import { isStorable } from '../rows/storable.ts';
import { isName, MAX_CLIENT_NAME_LENGTH } from '../services/accounts/names.ts';
import { GRAPHIQL_CLIENT_ID } from '../services/sign-in/oauth-records.ts';
import { isNativeRedirect, parseRedirectUris } from '../services/sign-in/redirect-uris.ts';

/** The members that this file checks. */
interface ClientMetadata {
  readonly client_id?: string | undefined;
  readonly client_name?: unknown;
  readonly redirect_uris?: readonly string[] | undefined;
  readonly grant_types?: readonly string[] | undefined;
  application_type?: 'web' | 'native' | undefined;
}

/** The grant types of clients that register themselves. They never act for a team without a person. */
const SELF_REGISTERED_GRANTS = ['authorization_code', 'refresh_token'];

/**
 * Checks a client whenever it is registered or loaded, and sets its type to native if a redirect URI requires it.
 * @throws InvalidClientMetadata
 */
export function checkClient(metadata: ClientMetadata, isRegistration: boolean): void {
  // GraphiQL's only redirect URI is on the gateway's own origin, which the rules for other clients may forbid.
  if (metadata.client_id === GRAPHIQL_CLIENT_ID) return;
  const uris = toTexts(metadata.redirect_uris);
  const why = redirectUriFault(uris) ?? (isRegistration ? registrationFault(metadata) : null);
  if (why !== null) throw new errors.InvalidClientMetadata(why);
  // Clients that register themselves seldom send their type, and only native clients may use any loopback port (RFC 8252 §7.3).
  if (uris.some(isNativeRedirect)) metadata.application_type = 'native';
}

function redirectUriFault(uris: string[]): string | null {
  try {
    parseRedirectUris(uris);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function registrationFault(metadata: ClientMetadata): string | null {
  const { client_name: name, grant_types: grants } = metadata;
  if (!isStorable(metadata)) return 'a member has a character that is no text';
  if (!toTexts(grants).every((grant) => SELF_REGISTERED_GRANTS.includes(grant)))
    return `grant_types may only contain ${SELF_REGISTERED_GRANTS.join(' and ')}`;
  if (typeof name === 'string' && !isName(name, MAX_CLIENT_NAME_LENGTH))
    return `client_name must have 1 to ${MAX_CLIENT_NAME_LENGTH} visible characters`;
  return null;
}

/** The texts in a list. Ignores values of other types, because the library refuses them. */
function toTexts(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}
