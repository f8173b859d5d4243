// Unknown query parameters are ignored. Where one that is ignored would make a request mean something else, its other spellings are refused.
import { invalid } from '../errors.ts';

/**
 * Refuses parameters that are meant to be one of these names.
 * @param spelling matches the letters, without anything between them, of names that are meant so
 * @throws AppError `invalid` for such a name that is not one of `known`
 */
export function refuseOtherSpellings(
  query: URLSearchParams,
  known: readonly string[],
  spelling: RegExp,
): void {
  for (const name of query.keys())
    if (!known.includes(name) && spelling.test(name.replaceAll(/[^a-z]/gi, '')))
      throw invalid(name, `${name} is not known: write ${known.join(' or ')}.`);
}
