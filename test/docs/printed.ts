// Compares the actual output with the printed one of a document. Pure.

/** Values that differ from one run to the next, and are printed as examples. */
const RANDOM: readonly (readonly [printed: RegExp, actual: (printed: string) => string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, () => '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'],
  [/\d{4}-\d\d-\d\d/, () => '\\d{4}-\\d\\d-\\d\\d'],
  [/\bfg[cgstw]_[\w-]+/, (text) => `${text.slice(0, 4)}[\\w-]{${text.length - 4}}`],
  [/\b[0-9a-f]{8}-(?=…)/, () => '[0-9a-f]{8}-'],
  [/\d+\.\d seconds/, () => '\\d+\\.\\d seconds'],
];

/** How a document is written: `…` is anything, and lines are broken and columns set as it reads best. */
const LAYOUT: readonly (readonly [printed: RegExp, actual: (printed: string) => string])[] = [
  [/…/, () => '[\\s\\S]*?'],
  [/\s*\n\s*/, () => '\\s*'],
  [/ +/, () => ' +'],
];

/** Matches every possible output for the `text` in a document. */
export function patternOf(text: string): RegExp {
  const kinds = [...RANDOM, ...LAYOUT];
  const any = new RegExp(kinds.map(([printed]) => `(${printed.source})`).join('|'), 'g');
  let source = '';
  let end = 0;
  for (const match of text.trim().matchAll(any)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)];
    source += RegExp.escape(text.trim().slice(end, match.index)) + kind?.[1](match[0]);
    end = match.index + match[0].length;
  }
  return new RegExp(`^\\s*${source}${RegExp.escape(text.trim().slice(end))}\\s*$`);
}
