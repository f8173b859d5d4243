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
  const letters = lettersApart(typed, meant, most);
  // PORT differs from SORT and POST by one letter: for such short names only swapped letters count.
  const isSwapped = [...typed].sort().join() === [...meant].sort().join();
  return letters > most || (meant.length < 5 && !isSwapped) ? null : letters;
}

/** The number of letters to add, omit, replace, or swap with their neighbours; a number above `most` if more than `most` are needed. */
function lettersApart(a: string, b: string, most: number): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [x, y] = [a.slice(same), b.slice(same)];
  if (x === y) return 0;
  if (most === 0) return 1;
  const rests = [[x.slice(1), y] as const, [x, y.slice(1)] as const, [x.slice(1), y.slice(1)] as const];
  if (x[0] === y[1] && x[1] === y[0]) rests.push([x.slice(2), y.slice(2)]);
  return 1 + Math.min(...rests.map(([left, right]) => lettersApart(left, right, most - 1)));
}
