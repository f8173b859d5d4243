// Finds environment variables whose names differ slightly from the gateway's: typing errors that would be ignored silently. Pure.
import { VARIABLES, type Variable } from './variables.ts';

/** A variable that is set, and the one that was probably meant. */
export interface NearMiss {
  readonly name: string;
  readonly meant: Variable;
}

/** Similar names that other software uses; Kubernetes sets the two endings for each service. */
const OF_OTHERS = /^(SERVICE_PORT|AUTH0_URL)$|_SERVICE_(HOST|PORT)$/;

/** Variables in `env` whose names differ by one or two letters (one for short names) from one of the gateway's. */
export function nearMisses(env: Readonly<Record<string, string | undefined>>): NearMiss[] {
  const names: readonly Variable[] = Object.keys(VARIABLES) as Variable[];
  const found: NearMiss[] = [];
  for (const name of Object.keys(env).sort()) {
    if (env[name] === undefined || (names as readonly string[]).includes(name) || OF_OTHERS.test(name))
      continue;
    const [nearest] = names
      .map((meant) => ({ name, meant, letters: lettersBetween(name, meant) }))
      .filter(({ letters }) => letters !== null)
      .sort((a, b) => Number(a.letters) - Number(b.letters));
    // On systems such as Windows, where the case of names does not matter, this is the gateway's variable itself.
    if (nearest !== undefined && !(nearest.letters === 0 && env[nearest.meant] !== undefined))
      found.push({ name, meant: nearest.meant });
  }
  return found;
}

/** The message about one of them. */
export function nearMissSentence({ name, meant }: NearMiss): string {
  return `${name} is not a variable of this gateway: is ${meant} meant?`;
}

/** The number of letters by which two names differ, ignoring case; null when there are too many for a typing error. */
function lettersBetween(name: string, meant: string): number | null {
  const most = meant.length < 8 ? 1 : 2;
  if (Math.abs(name.length - meant.length) > most) return null;
  const typed = name.toUpperCase();
  const letters = distance(typed, meant);
  // PORT is one letter from SORT and POST: for such short names only swapped letters count.
  const isSwapped = [...typed].sort().join() === [...meant].sort().join();
  return letters > most || (meant.length < 5 && !isSwapped) ? null : letters;
}

/**
 * The number of letters to add, omit, replace, or swap with their neighbours (Damerau-Levenshtein distance, optimal string alignment).
 */
function distance(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[] | undefined, index: number): number {
  return row?.[index] ?? Number.POSITIVE_INFINITY;
}
