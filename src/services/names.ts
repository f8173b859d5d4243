// What keys, clients and people may be called. Pure.
import { invalid } from '../errors.ts';
import { isStorable } from '../rows/storable.ts';

/** A client's, whoever registers it. */
export const MAX_CLIENT_NAME_LENGTH = 200;

/** Controls, and what hides in a text or turns it around: people decide by names, on the consent page and elsewhere. */
const UNREADABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a text can be a name: there is something to read, and nothing that cannot be read. */
export function isName(text: string, maxLength: number): boolean {
  return text.trim() !== '' && text.length <= maxLength && isStorable(text) && !UNREADABLE.test(text);
}

/** A name without the spaces about it. @throws AppError `invalid` blaming `name` */
export function parseName(text: string, maxLength: number): string {
  const name = text.trim();
  if (!isName(name, maxLength))
    throw invalid('name', `The name must have 1 to ${maxLength} characters, all of them visible.`);
  return name;
}
