// The JSON body of a request, for a route that takes one: those that create and change nouns, of which there are none yet.
import { readBody } from '../body.ts';
import { AppError } from '../errors.ts';
import { type Fields, restNameOf } from '../resources/resource.ts';
import { type Given, parseFields } from '../services/parse-fields.ts';
import type { Body } from './route.ts';
import { objectSchema } from './schemas.ts';

/** Levels of lists and objects in a body. */
const MAX_DEPTH = 32;

/** A body that gives some of a noun's fields. @param fields those that clients may give */
export function bodyOf<F extends Fields>(fields: F): Body<Given<F>> {
  const { type, properties } = objectSchema(fields);
  return { schema: { type, properties }, parse: (members) => parseFields(fields, { members, nameOf: restNameOf }, 'change') };
}

/** `application/json`, or a type of its family such as `application/merge-patch+json` (RFC 6839 §3.1). */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;|$)/i;

/**
 * The body of a request as the value that its JSON stands for.
 * @param maxBytes counted while it is read, whatever length was announced
 * @throws AppError `unsupported_media_type`, `payload_too_large`, or `bad_request` where it is not JSON in UTF-8,
 *   or nested too deep
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? ''))
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  const value = parseJson(await readBody(request, maxBytes));
  if (isDeeper(value, MAX_DEPTH))
    throw new AppError('bad_request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  return value;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AppError('bad_request', 'The body is not JSON.', { cause });
  }
}

/** Not by recursion, which is what the limit protects: JSON.parse takes any depth, JSON.stringify does not. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value];
  for (let i = 0; i < depth; i++)
    level = level.flatMap((one) => (one instanceof Object ? Object.values(one) : []));
  return level.some((one) => one instanceof Object);
}
