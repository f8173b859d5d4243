// The table of docs/configuration.md, made from the list of variables. Pure.
import { VARIABLES } from '../../src/config/variables.ts';

const TABLE = /^\| variable \|[^\n]*\n(?:\|[^\n]*\n)+/m;

/** The guide with the correct table. @throws Error for a text without one */
export function withVariables(guide: string): string {
  if (!TABLE.test(guide)) throw new Error('The guide has no table of variables.');
  const rows = Object.entries(VARIABLES).map(
    ([name, [fallback, meaning]]) =>
      `| \`${name}\` | ${fallback === '' ? '-' : `\`${fallback}\``} | ${meaning} |\n`,
  );
  return guide.replace(TABLE, () => `| variable | default | meaning |\n|---|---|---|\n${rows.join('')}`);
}
