// The answer to a change for a caller who may not read the object: its ids, its times, and the members that the caller sent.
import type { Reply } from '../messages/reply.ts';
import { isObject } from '../services/input/parse-fields.ts';

/** The header with the scope that the caller lacks to get all members. */
export const MISSING_SCOPE = 'Missing-Scope';

const ALWAYS_INCLUDED = ['id', 'public_id', 'created_at', 'updated_at'];

type Members = Readonly<Record<string, unknown>>;

/**
 * @param given the members that the caller sent, without unknown ones
 * @param parentKey the member with the id of the parent, which the caller already knows; null without one
 */
export function withholdMembers(
  { status, headers, body }: Reply,
  {
    scope,
    given,
    parentKey,
  }: { readonly scope: string; readonly given: Members; readonly parentKey: string | null },
): Reply {
  if (!(body instanceof Uint8Array)) return { status, headers, body };
  const isSecret = headers['Cache-Control'] !== undefined;
  const ids = parentKey === null ? ALWAYS_INCLUDED : [...ALWAYS_INCLUDED, parentKey];
  const object: unknown = JSON.parse(Buffer.from(body).toString(), keepNumbers);
  const visible = isSummary(object)
    ? object
    : {
        ...(idsIn(object, ids) as Members),
        ...echoedMembers(object as Members, given),
        // A credential is made for the caller, and returned only once.
        ...(isSecret && credentialsIn(object as Members)),
      };
  const { 'Content-Type': type = '', ...others } = headers;
  return {
    status,
    // No entity tag: a hash of all members would let the caller try out their values.
    headers: {
      'Cache-Control': 'private, no-cache',
      ...others,
      'Content-Type': type,
      [MISSING_SCOPE]: scope,
    },
    body: Buffer.from(JSON.stringify(visible)),
  };
}

/** Whether a value is the summary of a change of many objects, such as the number of deliveries that are sent again. */
function isSummary(value: unknown): boolean {
  return isObject(value) && !('id' in value) && !Object.values(value).some(isNested);
}

function echoedMembers(object: Members, given: Members): Members {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => echoedMember(name, object[name], value)),
  );
}

/** A token, or a secret with the `client_id` beside which it is used. */
function credentialsIn(object: Members): Members {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => /^(?:token|client_id|\w+_secret)$/.test(name)),
  );
}

/** Keeps the digits of numbers: ids have up to 19 digits, too many for a JavaScript number. */
function keepNumbers(_name: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' ? JSON.rawJSON(source ?? String(value)) : value;
}

/** The ids and times of the objects in a value. */
function idsIn(value: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => idsIn(item, ids));
  if (!isNested(value) || !isObject(value)) return undefined;
  const members = Object.entries(value);
  const included = members.filter(([name]) => ids.includes(name));
  if ('id' in value) return Object.fromEntries(included);
  const nested = members.filter(([, member]) => isNested(member));
  return Object.fromEntries([...included, ...nested.map(([name, member]) => [name, idsIn(member, ids)])]);
}

function isNested(value: unknown): boolean {
  // A raw number from `keepNumbers` has no prototype.
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== null;
}

/**
 * The part of a member that the caller sent. Null, an empty text or an empty list may not have changed it, so it is left out. Of objects and
 * lists that are merged with existing values, only the sent part is included.
 */
function echoedMember(name: string, shown: unknown, given: unknown): [string, unknown][] {
  const value = partOf(shown, given);
  return value === undefined ? [] : [[name, value]];
}

function partOf(shown: unknown, given: unknown): unknown {
  if (shown === undefined || shown === null || given === null || given === undefined || given === '')
    return undefined;
  if (Array.isArray(given)) {
    if (!Array.isArray(shown) || given.length === 0) return undefined;
    const texts = new Set(given.filter((item) => !isNested(item)).map(textOf));
    if (texts.size > 0) return shown.filter((item) => !isNested(item) && texts.has(textOf(item)));
    return shown.length === given.length ? shown.map((item, index) => partOf(item, given[index])) : undefined;
  }
  if (isObject(given))
    return isObject(shown)
      ? Object.fromEntries(
          Object.entries(given).flatMap(([name, value]) => echoedMember(name, shown[name], value)),
        )
      : undefined;
  return isNested(shown) ? undefined : shown;
}

/** An id as text: clients send numbers or strings of digits. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
