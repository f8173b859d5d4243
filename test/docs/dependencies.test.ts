// The table of dependencies in docs/CONTRIBUTING.md has a line for each, with its reason.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { read } from './markdown.ts';

test('each dependency has a line, and each line has a dependency', async () => {
  const project = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.keys(project[kind] ?? {}),
  );
  const [, table = ''] = (await read('docs/CONTRIBUTING.md')).split('\n## Dependencies\n');
  const listed = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const isOf = (entry: string, name: string) =>
    entry.endsWith('/*') ? name.startsWith(entry.slice(0, -1)) : entry === name;
  expect(names.filter((name) => !listed.some((entry) => isOf(entry, name)))).toEqual([]);
  expect(listed.filter((entry) => !names.some((name) => isOf(entry, name)))).toEqual([]);
});
