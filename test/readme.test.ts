// The README's tables against what they are tables of.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VARIABLES } from '../src/config/variables.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

/** The cells of the first table under a heading, without its head. */
function tableUnder(heading: string): string[][] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const lines = section.split('\n').slice(
    0,
    section.split('\n').findIndex((line) => line.startsWith('## ')),
  );
  return lines
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test('the configuration table is the list of variables', () => {
  const rows = tableUnder('Configuration').map((cells) => cells.map((cell) => cell.replaceAll('`', '')));
  expect(rows).toEqual(VARIABLES.map(([name, fallback, meaning]) => [name, fallback || '-', meaning]));
});

test('the dependency table names every dependency once, where package.json has it, and no other', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, object>;
  const rows = tableUnder('Dependencies').map(([names = '', why = '']) => ({
    dev: names.startsWith('dev:'),
    names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    why,
  }));
  expect(rows.filter(({ why }) => why === '')).toEqual([]);
  for (const [dev, packages] of [
    [false, Object.keys(dependencies ?? {})],
    [true, Object.keys(devDependencies ?? {})],
  ] as const) {
    const named = rows.filter((row) => row.dev === dev).flatMap(({ names }) => names);
    // "@scope/*" stands for all of a scope.
    const stands = (name: string, forName: string) =>
      name.endsWith('/*') ? forName.startsWith(name.slice(0, -1)) : name === forName;
    expect(packages.filter((name) => named.filter((given) => stands(given, name)).length !== 1)).toEqual([]);
    expect(named.filter((given) => !packages.some((name) => stands(given, name)))).toEqual([]);
  }
});

test('files and scripts that the README names are there', () => {
  const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
  const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !scripts.includes(String(name)))).toEqual([]);
  const paths = [...readme.matchAll(/`((?:src|test|prisma)\/[\w/.-]+\.(?:ts|prisma))`/g)].map(
    ([, path = '']) => path,
  );
  // `src/services/notes.ts` and its like are of the made-up noun that the README adds.
  const missing = paths
    .filter((path) => !/\/notes\.\w+$/.test(path))
    .filter((path) => {
      try {
        return read(path) === '';
      } catch {
        return true;
      }
    });
  expect(missing).toEqual([]);
  expect(readme).not.toContain('<!--');
});
