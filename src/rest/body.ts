// Reads the JSON body of requests that create or change nouns.

import type { Context } from '../context.ts';
import { AppError, invalid, invalidFields, NOT_AN_OBJECT, quoted } from '../errors.ts';
import { readBody } from '../messages/body.ts';
import { isIdentity } from '../messages/content-coding.ts';
import type { Fields } from '../resources/description/fields.ts';
import { isRequired, type Moment, writableFields } from '../resources/description/inputs.ts';
import { ownNameOf, pluralOf, restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { type Input, isObject, namesOf } from '../services/input/parse-fields.ts';
import { admitBody, chargeMembersLater } from '../services/limits/rate-limits.ts';
import type { Body, Query } from './route.ts';
import { requestSchema, schemaRef, wrappedSchema } from './schemas.ts';

/** Levels of lists and objects in a body. */
const MAX_DEPTH = 32;

/**
 * A body with some of a noun's fields, either directly (bare) or below one member (wrapped). It counts as wrapped if the noun's `wrapper`
 * member is an object, or if its only member is an object whose name ends in the noun's own name, as clients of other versions of the API
 * send it. The service validates the fields.
 * @param fields the fields that it may contain; @param name the name of their schema
 * @param isClosed whether unknown members are refused, also members outside the wrapper; otherwise they are ignored
 */
export function bodyOf(
  resource: Resource,
  moment: Moment,
  fields = writableFields(resource, moment),
  name = `${resource.type}${moment === 'creation' ? 'Creation' : 'Change'}`,
  isClosed = false,
): Body<Input> {
  const { wrapper } = resource;
  const bare = schemaRef(name);
  const isOneRequired = Object.values(fields).some((field) => isRequired(field, moment));
  const required = isOneRequired || (moment === 'creation' && resource.mayBeEmpty !== true);
  const known = new Set(namesOf(fields, restNameOf));
  const own = ownNameOf(resource);
  const ends = [own, pluralOf(own)];
  const isLikeWrapper = (member: string) => !known.has(member) && ends.some((end) => member.endsWith(end));
  return {
    required,
    schema: wrapper === undefined ? bare : { anyOf: [wrappedSchema(wrapper, bare), bare] },
    components: () => ({
      [name]: {
        ...requestSchema(fields, moment),
        ...(required && !isOneRequired && { minProperties: 1 }),
        ...(isClosed && { additionalProperties: false }),
      },
    }),
    given: ({ members }) =>
      Object.fromEntries(
        Object.entries(isObject(members) ? members : {}).filter(([name]) => known.has(name)),
      ),
    parse(body) {
      const members = wrapper === undefined ? body : unwrap(body, wrapper, isLikeWrapper);
      if (isClosed) refuseUnknown(members, known, membersOutsideWrapper(body, wrapper), wrapper);
      return { members, nameOf: restNameOf };
    },
  };
}

/** How many unknown members an error lists. */
const MAX_LISTED = 5;

/** The query of a request that takes these members in the body only. In the query they would be ignored, so they are refused. */
export function refuseInQuery(fields: Fields): Query<null> {
  return {
    parameters: [],
    /** @throws AppError `invalid` */
    parse(query) {
      const [name] = namesOf(fields, restNameOf).filter((name) => query.has(name));
      if (name !== undefined) throw invalid(name, { code: 'required', message: 'must be in the body' });
      return null;
    },
  };
}

/** The members of a wrapped body that are not in the wrapper. */
function membersOutsideWrapper(body: unknown, wrapper: string | undefined): string[] {
  if (wrapper === undefined || !isObject(body) || !isObject(body[wrapper])) return [];
  return Object.keys(body).filter((key) => key !== wrapper);
}

/** Leaves a body with only unknown members to the check for empty bodies. @throws AppError `invalid` with the refused members */
function refuseUnknown(
  members: unknown,
  known: ReadonlySet<string>,
  outside: readonly string[],
  wrapper = 'body',
): void {
  const given = isObject(members) ? Object.keys(members) : [];
  const unknown = given.filter((key) => !known.has(key));
  const refused = [...outside, ...(unknown.length < given.length ? unknown : [])];
  if (refused.length === 0) return;
  throw invalidFields(
    refused.slice(0, MAX_LISTED).map((key) => {
      const field = quoted(key);
      const message = outside.includes(key)
        ? `Move \`${field}\` into \`${wrapper}\`.`
        : `Unknown member ${field}. This takes: ${[...known].join(', ')}.`;
      return { code: 'unknown_field', field, message };
    }),
  );
}

/** The fields of a wrapped body. @param isLikeWrapper whether the name of a body's only member counts as the wrapper */
function unwrap(input: unknown, wrapper: string, isLikeWrapper: (member: string) => boolean): unknown {
  if (!isObject(input)) return input;
  if (Object.hasOwn(input, wrapper)) {
    const { [wrapper]: wrapped, ...others } = input;
    if (isObject(wrapped)) return wrapped;
    if (isEmptyValue(wrapped)) return others;
    throw invalid(wrapper, NOT_AN_OBJECT);
  }
  const [only, another] = Object.keys(input);
  if (only === undefined || another !== undefined || !isLikeWrapper(only)) return input;
  return isObject(input[only]) ? input[only] : input;
}

/** `application/json`, or a type of its family such as `application/merge-patch+json` (RFC 6839 §3.1). */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;|$)/i;

/**
 * The parsed JSON body of a request; an empty object for no body, `null` and `[]`. Its size counts against the rate limits.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `too_many_requests`, `bad_request` when it is not JSON in UTF-8, or
 *   `invalid` when it is nested too deep
 */
export async function readJson(request: Request, ctx: Context): Promise<unknown> {
  const { headers } = request;
  const type = headers.get('content-type');
  if (type !== null && !JSON_TYPE.test(type)) throw notJson();
  const coding = headers.get('content-encoding');
  if (coding !== null && !isIdentity(coding))
    throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.');
  const bytes = await readBody(request, ctx.config.limits.maxBodyBytes);
  if (bytes.length === 0) return {};
  if (type === null) throw notJson();
  const admission = admitBody(ctx, bytes.length);
  if (admission !== undefined) await admission;
  const value = parseJson(bytes);
  const { isDeeper, members } = measure(value, MAX_DEPTH);
  chargeMembersLater(ctx, members);
  if (isDeeper) throw invalid('body', { code: 'too_many', message: `must have at most ${MAX_DEPTH} levels` });
  return isEmptyValue(value) ? {} : value;
}

/** Bodies that mean no body, without surrounding white space. */
const EMPTY_BODY = /^(?:\{\s*\}|\[\s*\]|null)?$/;
/** Some clients send an empty wrapper with each POST. */
const EMPTY_WRAPPER = /^\{\s*"\w+"\s*:\s*\{\s*\}\s*\}$/;
const MAX_EMPTY_BODY_BYTES = 1_024;

/** Refuses a body with content on a route that takes none, since it would be ignored. @throws AppError `invalid` */
export async function refuseBody(request: Request): Promise<void> {
  const bytes = await readBody(request, MAX_EMPTY_BODY_BYTES).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'payload_too_large') return null;
    throw error;
  });
  const text = bytes === null ? null : Buffer.from(bytes).toString().trim();
  if (text !== null && (EMPTY_BODY.test(text) || (request.method === 'POST' && EMPTY_WRAPPER.test(text))))
    return;
  throw invalid('body', {
    code: 'unknown_field',
    message: 'This request takes no body.',
  });
}

function notJson(): AppError {
  return new AppError(
    'unsupported_media_type',
    'The body must be JSON. Send it with Content-Type: application/json.',
  );
}

/** A byte order mark before the JSON is refused as well (RFC 8259 §8.1). */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw new AppError('bad_request', 'The body is not valid JSON. Send JSON in UTF-8.', { cause });
  }
}

/**
 * The total number of members in a value, and whether it has more levels than `depth`. Not recursive, because the limit
 * protects against deep recursion: JSON.parse accepts any depth, JSON.stringify does not.
 */
function measure(value: unknown, depth: number): { isDeeper: boolean; members: number } {
  let level = [value];
  let members = 0;
  for (let i = 0; i < depth; i++) {
    level = level.flatMap((one) => {
      if (!(one instanceof Object)) return [];
      const values = Object.values(one);
      if (!Array.isArray(one)) members += values.length;
      return values;
    });
  }
  return { isDeeper: level.some((one) => one instanceof Object), members };
}

/** Whether a value is one that some clients send in place of an empty object. */
function isEmptyValue(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
