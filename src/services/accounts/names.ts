// Rules for names that people enter: of teams, workspaces, API keys, OAuth clients and people. Pure.
import { invalid } from '../../errors.ts';
import { isStorable } from '../../rows/storable.ts';

/** Of teams, workspaces, people and API keys. */
const MAX_NAME_LENGTH = 100;
/** Of OAuth clients, including those that register themselves. */
export const MAX_CLIENT_NAME_LENGTH = 200;

/**
 * Control characters, and characters that are invisible or change the text direction: people judge by names, so names must not mislead.
 */
const UNREADABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a text can be a name: not blank, not too long, and without unreadable characters. */
export function isName(text: string, maxLength = MAX_NAME_LENGTH): boolean {
  return text.trim() !== '' && text.length <= maxLength && isStorable(text) && !UNREADABLE.test(text);
}

/** The name without spaces at its ends. @throws AppError `invalid` blaming `name` */
export function parseName(text: string, maxLength = MAX_NAME_LENGTH): string {
  const name = text.trim();
  if (!isName(name, maxLength))
    throw invalid('name', `The name must have 1 to ${maxLength} characters, all of them visible.`);
  return name;
}
