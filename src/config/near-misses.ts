// Environment variables that are almost called like one of the gateway's: typing errors, which would be ignored silently. Pure.
import { VARIABLES, type Variable } from './variables.ts';

/** A variable that is set, and the one that seems to be meant. */
export interface NearMiss {
  readonly name: string;
  readonly meant: Variable;
}

/** Variables of others that are as near; Kubernetes sets those with the two endings for each service. */
const OF_OTHERS = /^(SERVICE_PORT|AUTH0_URL)$|_SERVICE_(HOST|PORT)$/;

/** What is set in `env` under a name that is one or two letters, fewer for short names, from one of the gateway's. */
export function nearMisses(env: Readonly<Record<string, string | undefined>>): NearMiss[] {
  const names: readonly Variable[] = VARIABLES.map(([name]) => name);
  const found: NearMiss[] = [];
  for (const name of Object.keys(env).sort()) {
    if (env[name] === undefined || (names as readonly string[]).includes(name) || OF_OTHERS.test(name))
      continue;
    const [nearest] = names
      .map((meant) => ({ name, meant, letters: lettersBetween(name, meant) }))
      .filter(({ letters }) => letters !== null)
      .sort((a, b) => Number(a.letters) - Number(b.letters));
    // Where case does not count in names, as on Windows, it is the one that is meant.
    if (nearest !== undefined && !(nearest.letters === 0 && env[nearest.meant] !== undefined))
      found.push({ name, meant: nearest.meant });
  }
  return found;
}

/** What is said of one. */
export function nearMissSentence({ name, meant }: NearMiss): string {
  return `${name} is not a variable of this gateway: is ${meant} meant?`;
}

/** How many letters a name is from a variable's, whatever their case; null where they are too many for a typing error. */
function lettersBetween(name: string, meant: string): number | null {
  const most = meant.length < 8 ? 1 : 2;
  if (Math.abs(name.length - meant.length) > most) return null;
  const typed = name.toUpperCase();
  const letters = distance(typed, meant);
  // PORT is one letter from SORT and POST: there nothing but swapped letters is told.
  const isSwapped = [...typed].sort().join() === [...meant].sort().join();
  return letters > most || (meant.length < 5 && !isSwapped) ? null : letters;
}

/** Letters to be added, left out, replaced, or swapped with their neighbours (Damerau and Levenshtein, optimal string alignment). */
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
