// The README and the guides compared with what they describe: links, files, scripts, tables.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/command-list.ts';
import { readSources } from '../support/sources.ts';
import { withVariables } from './configuration-guide.ts';
import { anchorsOf, documents, filesOf, linksOf, read, tableUnder } from './markdown.ts';
import { withSchemaCounts } from './schema-counts.ts';

test('the README is short: at most 12 kB', () => {
  expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(12_000);
});

test('the first line of the README says what this is and what it is not yet, and one picture shows it', () => {
  const [title, empty, first = ''] = read('README.md').split('\n');
  expect([title, empty]).toEqual(['# Funnel Gateway', '']);
  for (const said of [
    'Contacts',
    'webhooks',
    'REST',
    'GraphQL',
    'a shop',
    "of the public API's 262 operations",
  ])
    expect(first).toContain(said);
  const pictures = [...read('README.md').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path);
  expect(pictures).toEqual(['docs/graphiql.png']);
  expect(statSync(new URL('../../docs/graphiql.png', import.meta.url)).size).toBeLessThan(200_000);
});

describe.each(documents)('%s', (path) => {
  const text = read(path);

  test('its links lead to existing files and headings', () => {
    const dead = linksOf(text)
      .filter((target) => !/^https:\/\/[\w.-]+\//.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const other = file === '' ? path : posix.join(posix.dirname(path), file);
        if (!existsSync(new URL(`../../${other}`, import.meta.url))) return true;
        return anchor !== undefined && !anchorsOf(read(other)).includes(anchor);
      });
    expect(dead).toEqual([]);
  });

  // That one is about a project of the reader.
  test.skipIf(path === 'docs/browser-app.md')('the files and scripts that it names are there', () => {
    const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
    const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
    expect(named.filter((name) => !scripts.includes(String(name)))).toEqual([]);
    const paths = [...text.matchAll(/`((?:src|test|prisma|docs|deploy|bin)\/[\w/.-]+)`/g)].map(
      ([, named = '']) => named,
    );
    // `src/resources/products.ts` and its like are of the made-up noun that the recipe adds.
    const missing = paths
      .filter((named) => !/\/gadget(s|_parts)\.\w+$/.test(named))
      .filter((named) => !existsSync(new URL(`../../${named}`, import.meta.url)));
    expect(missing).toEqual([]);
  });
});

test('every guide can be reached from the README', () => {
  const seen = new Set<string>();
  const waiting = ['README.md'];
  for (const path of waiting) {
    if (seen.has(path)) continue;
    seen.add(path);
    const targets = linksOf(read(path)).map((target) =>
      posix.join(posix.dirname(path), target.replace(/#.*/, '')),
    );
    waiting.push(...targets.filter((target) => documents.includes(target)));
  }
  expect(documents.filter((path) => !seen.has(path))).toEqual([]);
});

test('the table of variables is made by `npm run codegen`, and up to date', () => {
  const guide = read('docs/configuration.md');
  expect(guide).toBe(withVariables(guide));
});

test('the table of counts is made by `npm run codegen`, and up to date', () => {
  const guide = read('docs/graphql.md');
  const sdl = read('schema.graphql');
  expect(guide).toBe(withSchemaCounts(guide, buildSchema(sdl), sdl));
});

test('the command-line guide has every command, and no other', () => {
  const cells = tableUnder(read('docs/commands.md'), 'The command line').map(([cell = '']) => cell);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)/g)].map(([, name]) => name));
  expect(new Set(named)).toEqual(new Set([...COMMANDS.map(({ name }) => name), 'help']));
});

test('the `codegen.ts` of the README is that of the tested guide', () => {
  const [readme, guide] = ['README.md', 'docs/browser-app.md'].map((path) =>
    filesOf(read(path)).find((file) => file.path === 'codegen.ts'),
  );
  expect(readme).toBeDefined();
  expect(readme).toEqual(guide);
});

test('the architecture page names every folder and file directly below src/', () => {
  const page = read('docs/ARCHITECTURE.md');
  const names = readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true });
  const paths = names.map((entry) => `src/${entry.name}${entry.isDirectory() ? '/' : ''}`);
  expect(paths.filter((path) => !page.includes(`\`${path}`))).toEqual([]);
});

test('every file that the architecture page and the code map name without its folder exists', async () => {
  const [, map = ''] = read('docs/CONTRIBUTING.md').split('\n## Code map');
  const [codeMap = ''] = map.split('\n## ');
  const files = (await readSources()).map(({ path }) => `/${path}`);
  const named = [read('docs/ARCHITECTURE.md'), codeMap].flatMap((text) =>
    [...text.matchAll(/`(?!src\/|test\/|bin\/)([\w/-]+\.ts)`/g)].map(([, path = '']) => path),
  );
  expect(named).not.toEqual([]);
  expect(named.filter((path) => !files.some((file) => file.endsWith(`/${path}`)))).toEqual([]);
});

test('the glossary has at most twenty words', () => {
  expect(tableUnder(read('docs/ARCHITECTURE.md'), 'Glossary').length).toBeLessThanOrEqual(20);
});

test('guides that help texts and messages mention exist', async () => {
  const sources = await readSources();
  const named = sources.flatMap(({ text }) => [...text.matchAll(/docs\/[\w-]+\.md/g)].map(([path]) => path));
  expect(named).not.toEqual([]);
  expect(named.filter((path) => !documents.includes(path))).toEqual([]);
});

test('the browser app guide overrides the same versions as the project', () => {
  const { overrides } = JSON.parse(read('package.json')) as { overrides: Record<string, string> };
  const [, name = '', version] = /npm pkg set overrides\.(\S+)=(\S+)/.exec(read('docs/browser-app.md')) ?? [];
  expect(overrides[name]).toBe(version);
});

test('the licence is that of the package', () => {
  const { license } = JSON.parse(read('package.json')) as { license: string };
  expect(read('LICENSE')).toMatch(new RegExp(`^${license} License\n`));
});

test('the dependency table names every dependency once, where package.json has it, and no other', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, object | undefined>;
  const rows = tableUnder(read('docs/CONTRIBUTING.md'), 'Dependencies').map(([names = '', why = '']) => ({
    kind: /^(\w+):/.exec(names)?.[1] ?? '',
    names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    why,
  }));
  expect(rows.filter(({ why }) => why === '')).toEqual([]);
  for (const [kind, member] of [
    ['', 'dependencies'],
    ['optional', 'optionalDependencies'],
    ['dev', 'devDependencies'],
  ]) {
    const packages = Object.keys(manifest[member ?? ''] ?? {});
    const named = rows.filter((row) => row.kind === kind).flatMap(({ names }) => names);
    // "@scope/*" stands for all of a scope.
    const stands = (name: string, forName: string) =>
      name.endsWith('/*') ? forName.startsWith(name.slice(0, -1)) : name === forName;
    expect(packages.filter((name) => named.filter((given) => stands(given, name)).length !== 1)).toEqual([]);
    expect(named.filter((given) => !packages.some((name) => stands(given, name)))).toEqual([]);
  }
});
