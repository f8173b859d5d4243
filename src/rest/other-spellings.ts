// Unknown query parameters are ignored. Where one that is ignored would make a request mean something else, its other spellings are refused.
import { invalid } from '../errors.ts';

const lettersOf = (name: string): string => name.replaceAll(/[^a-z]/gi, '').toLowerCase();

/** Patterns of these letters with one of them missing, wrong, or swapped with the next, or with one too many. */
function slipsOf(letters: string): string[] {
  const slips = [...letters].flatMap((letter, index) => {
    const [before, after] = [letters.slice(0, index), letters.slice(index + 1)];
    const swapped = `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`;
    return [`${before}.?${after}`, `${before}.${letter}${after}`, swapped];
  });
  return [...slips, `${letters}.`];
}

/**
 * Makes a function that refuses other spellings of these names: names whose letters are the same but for one slip, whatever stands between
 * them. To be called once for each list of names, since its pattern is long.
 * @param spelling matches the letters of further names that are meant so
 * @returns a function that throws AppError `invalid` for such a name that is not one of `known`
 */
export function refusalOfOtherSpellings(
  known: readonly string[],
  spelling: RegExp,
): (query: URLSearchParams) => void {
  const slips = known.flatMap((name) => slipsOf(lettersOf(name)));
  const meant = new RegExp(`${spelling.source}|^(?:${slips.join('|')})$`);
  return (query) => {
    for (const name of query.keys())
      if (!known.includes(name) && meant.test(lettersOf(name)))
        throw invalid(name, { code: 'unknown_field', message: `is not known: write ${known.join(' or ')}` });
  };
}
