// Which redirect URIs an OAuth client may have (OAuth 2.1 §2.3, RFC 9700 §2.1, RFC 8252 §7). Pure.
import { isLoopbackHost } from '../../config/loopback.ts';
import { invalid } from '../../errors.ts';

const MAX_URIS = 20;
const MAX_LENGTH = 2_000;

/**
 * The URIs as written: they are compared exactly, except for the port of a loopback address.
 * @throws AppError `invalid` naming the wrong URI and what is wrong with it
 */
export function parseRedirectUris(uris: readonly string[], field = 'redirect_uris'): string[] {
  if (uris.length > MAX_URIS)
    throw invalid(field, {
      code: 'too_many',
      message: `A client can have at most ${MAX_URIS} redirect URIs.`,
    });
  for (const uri of uris) {
    const problem = problemOf(uri);
    if (problem !== null)
      throw invalid(field, {
        code: 'invalid_format',
        message: `The redirect URI ${uri} ${problem}.`,
      });
  }
  return [...new Set(uris)];
}

/** Whether the URI leads to an app on the user's device: a loopback address or a private-use scheme (RFC 8252 §7.1, §7.3). */
export function isNativeRedirect(uri: string): boolean {
  return new URL(uri).protocol !== 'https:';
}

function problemOf(uri: string): string | null {
  if (uri.length > MAX_LENGTH || !URL.canParse(uri) || /[\s\p{Cc}*]/u.test(uri))
    return 'is not a valid address';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'must not contain a fragment';
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  const isLoopback = isLoopbackHost(hostname);
  if (protocol === 'https:') return isLoopback ? 'must use http on a loopback address' : null;
  if (protocol === 'http:') return isLoopback ? null : 'must use https, or http on a loopback address';
  return protocol.includes('.')
    ? null
    : "must use https, or a scheme of the app's own such as com.example.app";
}
