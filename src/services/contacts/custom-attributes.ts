// Parses the custom attributes of contacts: names in snake case, values as text. Pure.
import {
  AppError,
  type Fault,
  type FieldError,
  invalid,
  invalidFields,
  mustBe,
  tooLong,
} from '../../errors.ts';
import { contact, MAX_ATTRIBUTE_CHARS, MAX_ATTRIBUTES } from '../../resources/contacts.ts';
import type { Field } from '../../resources/description/fields.ts';
import { restNameOf } from '../../resources/description/names.ts';

const MAX_NAME_CHARS = 100;

/** The REST names of the properties that every contact has. */
const BUILT_IN = new Set(
  Object.entries<Field>({ ...contact.fields, ...contact.inputs }).map(([property, field]) =>
    restNameOf(property, field),
  ),
);

/**
 * The attributes to merge into those of a contact. Null becomes an empty text; numbers and booleans become text.
 * @param field the client's name for the attributes
 * @returns undefined when the value is not an object: it is ignored
 * @throws AppError `bad_request` for an empty name; `invalid` for the name of a built-in property, a value that is not text, or a name,
 *   value or number of attributes above its limit
 */
export function parseCustomAttributes(given: unknown, field: string): Record<string, string> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const entries = Object.entries(given);
  const errors: FieldError[] = [];
  const blame = (name: string, fault: Fault) => errors.push({ ...fault, field: `${field}.${name}` });
  if (entries.length > MAX_ATTRIBUTES)
    throw invalid(field, { code: 'too_many', message: `can have at most ${MAX_ATTRIBUTES} attributes` });
  const known = new Set<string>();
  const parsed = entries.map(([key, value]): [string, string] => {
    const name = toAttributeName(key);
    // Never applied to an object: its `toString` may come from the client.
    const text = value instanceof Object ? '' : String(value ?? '');
    if (name === '')
      throw new AppError('bad_request', `A member of ${field} has an empty name. Give each member a name.`, {
        reason: { code: 'required', field },
      });
    if (name.length > MAX_NAME_CHARS || key.length > MAX_NAME_CHARS)
      blame(name, {
        code: 'too_long',
        message: `must have a name of at most ${MAX_NAME_CHARS} characters`,
      });
    else if (BUILT_IN.has(name))
      blame(name, { code: 'taken', message: 'is the name of a built-in property. Choose another name' });
    else if (value instanceof Object) blame(name, mustBe('text'));
    else if (isRounded(value)) blame(name, mustBe('text. A number with so many digits would be rounded'));
    else if (known.has(name))
      blame(name, { code: 'repeated', message: 'is given twice. Give each name once' });
    else if (text.length > MAX_ATTRIBUTE_CHARS) blame(name, tooLong(MAX_ATTRIBUTE_CHARS));
    known.add(name);
    return [name, text];
  });
  if (errors.length > 0) throw invalidFields(errors.slice(0, 20));
  return Object.fromEntries(parsed);
}

/** Up to this many digits, a number keeps a decimal fraction as it was written (IEEE 754, double precision). */
const EXACT_DIGITS = 15;

/** Whether JSON's number may have had more digits than JavaScript keeps. */
function isRounded(value: unknown): boolean {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return false;
  if (Number.isInteger(value) || !Number.isFinite(value)) return true;
  const digits = String(Math.abs(value)).replace(/e.*$/, '').replace('.', '').replace(/^0+/, '');
  return digits.length > EXACT_DIGITS;
}

/**
 * The name under which an attribute is stored. Turns `Favourite Colour` and `favouriteColour` into `favourite_colour`. Combining marks count as parts of words: many scripts write
 * vowels with them.
 */
export function toAttributeName(name: string): string {
  return name
    .slice(0, MAX_NAME_CHARS + 1)
    .normalize('NFC')
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
    .toLowerCase();
}
