// Reads the headers of a request that changes data: Idempotency-Key and If-Match.

import type { Scope } from '../auth/scopes.ts';
import { AppError, invalid, mustBe } from '../errors.ts';
import { fitsTag, parseTagCondition } from '../messages/content-coding.ts';
import type { Writer } from '../rows/resource-writer.ts';
import {
  type IdempotencyKey,
  parseIdempotencyKey,
  type WriteOptions,
} from '../services/input/write-options.ts';
import { entityTag } from './entity-tags.ts';
import { outputParameter } from './responses.ts';

/** The options of a request that only reads. */
export const NO_OPTIONS: WriteOptions = { idempotencyKey: null, precondition: null };

/**
 * The options of a request, from its headers.
 * @param write how a GET writes the changed object
 * @param missing the scope to read the object, which the caller does not have; null: the caller may read it
 * @throws AppError `invalid` with the name of the header; `insufficient_scope` for tags of an object that the caller may not read
 */
export function parseWriteHeaders(
  { method, headers }: Request,
  { pathname }: URL,
  write: Writer<object>,
  missing: Scope | null,
): WriteOptions {
  return {
    idempotencyKey: parseKey(headers.get('idempotency-key'), `${method} ${pathname}`),
    precondition: parseIfMatch(headers.get('if-match'), write, missing),
  };
}

/** A string of structured fields (RFC 8941 §3.3.3), as in the IETF draft for Idempotency-Key. Clients may also send the bare key. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

function parseKey(value: string | null, place: string): IdempotencyKey | null {
  if (value === null) return null;
  const key = QUOTED.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? value;
  return parseIdempotencyKey(key, place, 'Idempotency-Key');
}

function parseIfMatch(
  value: string | null,
  write: Writer<object>,
  missing: Scope | null,
): WriteOptions['precondition'] {
  if (value === null) return null;
  const condition = parseTagCondition(value);
  if (condition === null)
    throw invalid('If-Match', mustBe('* or entity tags in double quotes, separated by commas'));
  // A tag is a hash of all members: a caller who may not read them could guess their values.
  if (condition !== '*' && missing !== null)
    throw new AppError('insufficient_scope', `If-Match with entity tags needs the scope ${missing}.`, {
      scope: missing,
    });
  return (row) => {
    outputParameter.clear();
    write(row, outputParameter);
    return fitsTag(condition, entityTag(outputParameter.toBuffer()));
  };
}
