// `npm run licences`: prints the packages that run in production as a tree, each with its licence, and what the explorer's bundle holds.
// Ends with exit code 1 where a licence is not on the list of those that are allowed. Needs no network.
import { ignoreClosedPipes } from '../src/output/closed-pipe.ts';
import { type Component, makeSbom, type Sbom } from './sbom.ts';

/** Licences that ask for no more than to be named (SPDX identifiers). */
const ALLOWED = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'ISC', 'MIT'],
]);

/** The component's licence as an SPDX expression; `none` where it states none. */
export function licenceOf({ licenses = [] }: Component): string {
  const stated = licenses.map((license) =>
    'expression' in license ? license.expression : (license.license.id ?? license.license.name ?? 'none'),
  );
  return stated.length === 0 ? 'none' : stated.join(' AND ');
}

/** Whether an expression can be met by allowed licences. What is not an identifier, or a plain choice between some, is not. */
export function isAllowed(expression: string): boolean {
  const choices = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => ALLOWED.has(choice));
}

/** The components whose licence is not allowed. */
export function refused({ components }: Sbom): Component[] {
  return components.filter((component) => !isAllowed(licenceOf(component)));
}

/** The lines of the tree: each package once with what it needs, then by its name alone. */
export function* treeOf({ metadata, components, dependencies }: Sbom): Generator<string> {
  const byRef = new Map(components.map((component) => [component['bom-ref'], component]));
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const shown = new Set<string>();

  function* below(ref: string, indent: string): Generator<string> {
    for (const needed of needs.get(ref) ?? []) {
      const component = byRef.get(needed);
      if (component === undefined) continue;
      const isKnown = shown.has(needed);
      shown.add(needed);
      yield `${indent}${needed}  ${licenceOf(component)}${isKnown && needs.get(needed)?.length ? '  (see above)' : ''}`;
      if (!isKnown) yield* below(needed, `${indent}  `);
    }
  }

  yield metadata.component['bom-ref'];
  yield* below(metadata.component['bom-ref'], '  ');
  yield 'bundled for the explorer';
  for (const component of components)
    if (!shown.has(component['bom-ref'])) yield `  ${component['bom-ref']}  ${licenceOf(component)}`;
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
