// Rules for names that people enter: of teams, workspaces, API keys, OAuth clients and people. Pure.
import { invalid } from '../../errors.ts';
import { MAX_CLIENT_NAME_LENGTH } from '../../resources/team-oauth-clients.ts';
import { isStorable } from '../../rows/storable.ts';

export { MAX_CLIENT_NAME_LENGTH };

/** Of teams, workspaces, people and API keys. */
const MAX_NAME_LENGTH = 100;
/**
 * Control characters, and characters that are invisible or change the text direction: people judge by names, so names must not mislead.
 */
const UNREADABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a text can be a name: not blank, not too long, and without unreadable characters. */
export function isName(text: string, maxLength = MAX_NAME_LENGTH): boolean {
  return text.trim() !== '' && text.length <= maxLength && isStorable(text) && !UNREADABLE.test(text);
}

/** Parses names of a kind, each once. @param who their owner, for messages @throws AppError `invalid` blaming `field` */
export function parseKnown(
  given: readonly string[],
  known: readonly string[],
  kind: 'scope' | 'grant',
  who: string,
  field = `${kind}s`,
): string[] {
  const all = `Known ${kind}s: ${known.join(', ')}.`;
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw invalid(field, {
      code: 'not_included',
      message: `Unknown ${kind} ${unknown.join(', ')}. ${all}`,
    });
  if (given.length === 0)
    throw invalid(field, { code: 'required', message: `${who} needs at least one ${kind}. ${all}` });
  return [...new Set(given)];
}

/** Parses one of the allowed values. @throws AppError `invalid` blaming the field */
export function parseOneOf<T extends string>(text: string, known: readonly T[], field: string): T {
  const found = known.find((value) => value === text);
  if (found === undefined)
    throw invalid(field, {
      code: 'not_included',
      message: `The ${field} must be one of ${known.join(', ')}.`,
    });
  return found;
}

/** The name without spaces at its ends. @throws AppError `invalid` blaming `name` */
export function parseName(text: string, maxLength = MAX_NAME_LENGTH): string {
  const name = text.trim();
  if (!isName(name, maxLength))
    throw invalid('name', {
      code: 'invalid_format',
      message: `The name must have 1 to ${maxLength} visible characters.`,
    });
  return name;
}
