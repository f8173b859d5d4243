// What the headers of a request that changes something say of it: Idempotency-Key and If-Match.

import { invalid } from '../errors.ts';
import { fitsTag, parseTagCondition } from '../messages/content-coding.ts';
import type { Writer } from '../rows/resource-writer.ts';
import { type IdempotencyKey, parseIdempotencyKey, type WriteOptions } from '../services/write-options.ts';
import { entityTag } from './entity-tags.ts';
import { out } from './responses.ts';

/** Of a request that only reads. */
export const NO_OPTIONS: WriteOptions = { idempotencyKey: null, fits: null };

/**
 * The options of a request.
 * @param write how a GET shows the object that is changed
 * @throws AppError `invalid` blaming the header
 */
export function parseWriteHeaders(
  { method, headers }: Request,
  { pathname }: URL,
  write: Writer<object>,
): WriteOptions {
  return {
    idempotencyKey: parseKey(headers.get('idempotency-key'), `${method} ${pathname}`),
    fits: parseIfMatch(headers.get('if-match'), write),
  };
}

/** A string as structured fields have it (RFC 8941 §3.3.3), which is the form of the IETF's draft; clients send the bare key as well. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

function parseKey(value: string | null, place: string): IdempotencyKey | null {
  if (value === null) return null;
  const key = QUOTED.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? value;
  return parseIdempotencyKey(key, place, 'Idempotency-Key');
}

function parseIfMatch(value: string | null, write: Writer<object>): WriteOptions['fits'] {
  if (value === null) return null;
  const condition = parseTagCondition(value);
  if (condition === null)
    throw invalid('If-Match', 'If-Match must be * or entity tags in double quotes, separated by commas.');
  return (row) => {
    out.clear();
    write(row, out);
    return fitsTag(condition, entityTag(out.toBuffer()));
  };
}
