// `npm run licences`: prints the packages that run in production as a tree with their licences, and those in the explorer's bundle. Ends
// with exit code 1 if a licence is not on the list of allowed ones. Needs no network.
import { ignoreClosedPipes } from '../src/output/closed-pipe.ts';
import { type Component, makeSbom, type Sbom } from './sbom.ts';

/** Licences that require only attribution (SPDX identifiers). */
const ALLOWED = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'ISC', 'MIT'],
]);

/** The component's licence as an SPDX expression; `none` if it states none. */
export function licenceOf({ licenses = [] }: Component): string {
  const stated = licenses.map((license) =>
    'expression' in license ? license.expression : (license.license.id ?? license.license.name ?? 'none'),
  );
  return stated.length === 0 ? 'none' : stated.join(' AND ');
}

/** Whether allowed licences satisfy an expression: an identifier, or a plain choice between some. Other expressions are never allowed. */
export function isAllowed(expression: string): boolean {
  const choices = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => ALLOWED.has(choice));
}

/** The components without an allowed licence. */
export function refused({ components }: Sbom): Component[] {
  return components.filter((component) => !isAllowed(licenceOf(component)));
}

/** The lines of the tree. A package has its dependencies only at its first occurrence, then only its name. */
export function* treeOf({ metadata, components, dependencies }: Sbom): Generator<string> {
  const byRef = new Map(components.map((component) => [component['bom-ref'], component]));
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const printed = new Set<string>();

  function* below(ref: string, indent: string): Generator<string> {
    for (const needed of needs.get(ref) ?? []) {
      const component = byRef.get(needed);
      if (component === undefined) continue;
      const wasPrinted = printed.has(needed);
      printed.add(needed);
      yield `${indent}${needed}  ${licenceOf(component)}${wasPrinted && needs.get(needed)?.length ? '  (see above)' : ''}`;
      if (!wasPrinted) yield* below(needed, `${indent}  `);
    }
  }

  yield metadata.component['bom-ref'];
  yield* below(metadata.component['bom-ref'], '  ');
  yield 'bundled for the explorer';
  for (const component of components)
    if (!printed.has(component['bom-ref'])) yield `  ${component['bom-ref']}  ${licenceOf(component)}`;
}

if (import.meta.main) {
  ignoreClosedPipes(process.stdout, process.stderr);
  const sbom = makeSbom();
  for (const line of treeOf(sbom)) process.stdout.write(`${line}\n`);
  const wrong = refused(sbom).map((component) => `${component['bom-ref']} (${licenceOf(component)})`);
  process.stdout.write(`\n${sbom.components.length} packages, ${wrong.length} without an allowed licence\n`);
  if (wrong.length > 0) {
    process.stderr.write(`Not allowed: ${wrong.join(', ')}\n`);
    process.exitCode = 1;
  }
}
