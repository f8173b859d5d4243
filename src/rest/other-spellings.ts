// Unknown query parameters are ignored. Refuses misspelled parameters where ignoring them would change the meaning of a request.
import { invalid, quoted } from '../errors.ts';

const lowerCaseLetters = (name: string): string => name.replaceAll(/[^a-z]/gi, '').toLowerCase();

/** Patterns for the letters with one letter missing, wrong, swapped with the next, or added. */
function misspellingPatterns(letters: string): string[] {
  const slips = [...letters].flatMap((letter, index) => {
    const [before, after] = [letters.slice(0, index), letters.slice(index + 1)];
    const swapped = `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`;
    return [`${before}.?${after}`, `${before}.${letter}${after}`, swapped];
  });
  return [...slips, `${letters}.`];
}

/**
 * Makes a function that refuses misspellings of these names: at most one letter differs, and other characters do not matter. Call it once for
 * each list of names, since the pattern is long.
 * @param known the correct names
 * @param spelling matches the letters of further misspellings
 * @returns a function that throws AppError `invalid` for a misspelled name
 */
export function refusalOfOtherSpellings(
  known: readonly string[],
  spelling: RegExp,
): (query: URLSearchParams) => void {
  const slips = known.flatMap((name) => misspellingPatterns(lowerCaseLetters(name)));
  const misspelling = new RegExp(`${spelling.source}|^(?:${slips.join('|')})$`);
  return (query) => {
    for (const name of query.keys())
      if (!known.includes(name) && misspelling.test(lowerCaseLetters(name)))
        throw invalid(quoted(name), {
          code: 'unknown_field',
          message: `Unknown parameter ${quoted(name)}. Use ${known.join(' or ')}.`,
        });
  };
}
