// Length limits of a request, in total and for each parameter. Checked before the library or the store is used.
import { AppError } from '../errors.ts';
import type { OauthRequest } from './oauth-request.ts';

export interface Bounds {
  /** Characters of the query or form, as sent. */
  readonly all: number;
  /** Characters of one value. */
  readonly each: number;
}

/** An authorization request is stored while the person signs in, and RFC 6749 §4.1.1 does not limit the length of `state`. */
export const AUTHORIZATION: Bounds = { all: 6_144, each: 4_096 };
/** A token request is not stored. Access tokens contain the ids of workspaces, so they may be long. */
export const TOKEN: Bounds = { all: 56 * 1024, each: 56 * 1024 };
/** More than any valid request has. There is a limit because each `resource` (RFC 8707) may cause a look-up. */
export const MAX_PARAMETERS = 32;

/** @throws AppError `bad_request` for a URL that is too long, `payload_too_large` for a form (RFC 9126 §2.3) */
export async function requireShort(request: OauthRequest, bounds: Bounds): Promise<void> {
  const { method, url } = request.raw;
  const isForm = method === 'POST';
  const text = isForm ? Buffer.from((await request.body()) ?? []).toString() : new URL(url).search.slice(1);
  if (isShort(text, bounds)) return;
  const code = isForm ? 'payload_too_large' : 'bad_request';
  throw new AppError(code, 'The request is too long, or has too many parameters.');
}

function isShort(text: string, { all, each }: Bounds): boolean {
  if (text.length > all || text.split('&').length > MAX_PARAMETERS) return false;
  return [...new URLSearchParams(text).values()].every((value) => value.length <= each);
}
