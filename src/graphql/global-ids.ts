// Global ids of Relay's object identification: Base64 of a type's name and an integer id. Pure.
import { MAX_ID } from '../cursors.ts';
import { invalid, mustBeId } from '../errors.ts';
import { withArticle } from '../resources/description/names.ts';

/** The type and the integer id of an object. */
export interface ObjectId {
  readonly typeName: string;
  readonly id: bigint;
}

/** Longer than any global id. */
const MAX_ID_CHARS = 100;

/** The global id of an object. */
export function encodeGlobalId(typeName: string, id: bigint): string {
  return btoa(`${typeName}:${id}`);
}

/** The type name and integer id in a global id; null for any other text. */
export function decodeGlobalId(globalId: string): ObjectId | null {
  const [, typeName = '', digits = ''] = /^(\w+):(\d{1,19})$/.exec(fromBase64(globalId)) ?? [];
  const id = BigInt(digits);
  // Base64 decoding is lenient: accept only the text that encodeGlobalId returns.
  const isCanonical = digits !== '' && id <= MAX_ID && encodeGlobalId(typeName, id) === globalId;
  return isCanonical ? { typeName, id } : null;
}

/** The integer id in a global id. @throws AppError `invalid` for `field` when the text is not a global id of this type */
export function parseGlobalId(type: { readonly name: string }, globalId: string, field: string): bigint {
  const decoded = decodeGlobalId(globalId);
  if (decoded?.typeName !== type.name)
    throw invalid(field, mustBeId(`the global id of ${withArticle(type.name)}`));
  return decoded.id;
}

/** The global id of an object that a text identifies, such as the caller's viewer. */
export function encodeOwnId(typeName: string, id: string): string {
  return btoa(`${typeName}::${id}`);
}

/** The type's name and the text in such a global id; null for any other text. */
export function decodeOwnId(globalId: string): { typeName: string; id: string } | null {
  const [, typeName = '', id = ''] = /^(\w+)::([\x21-\x7E]+)$/.exec(fromBase64(globalId)) ?? [];
  return id !== '' && encodeOwnId(typeName, id) === globalId ? { typeName, id } : null;
}

/** Whether a text has the form of a global id. Its object need not exist. */
export function isGlobalId(text: string): boolean {
  return decodeGlobalId(text) !== null || decodeOwnId(text) !== null;
}

function fromBase64(text: string): string {
  return text.length > MAX_ID_CHARS ? '' : Buffer.from(text, 'base64').toString('latin1');
}
