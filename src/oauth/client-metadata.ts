// What we ask of a client's metadata besides what the standards do (RFC 7591 §2, RFC 8252, RFC 9700 §2.1).
import { errors } from 'oidc-provider';
import { isNativeRedirect, parseRedirectUris } from '../auth/redirect-uris.ts';
import { AppError } from '../errors.ts';
import { isName, MAX_CLIENT_NAME_LENGTH } from '../services/names.ts';
import { isStorable } from '../store/storable.ts';
import { GRAPHIQL_CLIENT_ID } from './graphiql-client.ts';

/** The members that are looked at here. */
interface ClientMetadata {
  readonly client_id?: string | undefined;
  readonly client_name?: unknown;
  readonly redirect_uris?: readonly string[] | undefined;
  readonly grant_types?: readonly string[] | undefined;
  application_type?: 'web' | 'native' | undefined;
}

/** What a client that nobody vouches for may ask for: it never acts for a team on its own. */
const SELF_REGISTERED_GRANTS = ['authorization_code', 'refresh_token'];

/**
 * Checks a client, whenever it is registered or loaded, and makes it native where its redirects are.
 * @throws InvalidClientMetadata
 */
export function checkClient(metadata: ClientMetadata, isRegistration: boolean): void {
  // Its one redirect is the gateway's own origin, whatever that is.
  if (metadata.client_id === GRAPHIQL_CLIENT_ID) return;
  const uris = toTexts(metadata.redirect_uris);
  const why = whyRefused(uris) ?? (isRegistration ? whyNotRegistered(metadata) : null);
  if (why !== null) throw new errors.InvalidClientMetadata(why);
  // Programs that register themselves seldom say so, and only native ones may use any loopback port (RFC 8252 §7.3).
  if (uris.some(isNativeRedirect)) metadata.application_type = 'native';
}

function whyRefused(uris: string[]): string | null {
  try {
    parseRedirectUris(uris);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function whyNotRegistered(metadata: ClientMetadata): string | null {
  const { client_name: name, grant_types: grants } = metadata;
  if (!isStorable(metadata)) return 'a member has a character that is no text';
  if (!toTexts(grants).every((grant) => SELF_REGISTERED_GRANTS.includes(grant)))
    return `grant_types may only contain ${SELF_REGISTERED_GRANTS.join(' and ')}`;
  if (typeof name === 'string' && !isName(name, MAX_CLIENT_NAME_LENGTH))
    return `client_name must have 1 to ${MAX_CLIENT_NAME_LENGTH} characters, all of them visible`;
  return null;
}

/** What is of another type is refused by the library. */
function toTexts(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}
