// `npm run schema:diff`: prints how schema.graphql differs from schema.released.graphql, the schema of the last release. Ends with exit
// code 1 if the changelog does not announce a breaking change.
import { readFile } from 'node:fs/promises';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { ignoreClosedPipes } from '../src/output/closed-pipe.ts';

/** The levels in the order in which they are printed, each with its heading. */
const LEVELS: readonly (readonly [level: CriticalityLevel, heading: string])[] = [
  [CriticalityLevel.Breaking, 'Breaking'],
  [CriticalityLevel.Dangerous, 'Dangerous: a client that does not expect the change may fail'],
  [CriticalityLevel.NonBreaking, 'Compatible'],
];

/** One change of the schema. */
export interface SchemaChange {
  readonly level: CriticalityLevel;
  /** What changed: `Contact`, `Contact.name`, `Query.contact.by`. */
  readonly path: string;
  /** What changed, in a sentence without a full stop. */
  readonly message: string;
}

/** The changes between two schemas, as SDL, without those of descriptions. @throws GraphQLError for text that is no schema */
export async function changesBetween(released: string, current: string): Promise<SchemaChange[]> {
  const changes = await diff(buildSchema(released), buildSchema(current));
  return changes
    .filter(({ type }) => !type.includes('DESCRIPTION'))
    .map(({ criticality: { level }, path = '', message }) => ({ level, path, message }));
}

/**
 * The breaking changes that the changelog does not announce. It announces one if its unreleased section has the path in backticks. There a
 * `*` stands for any part of a name, as in `*.*.sortOrder`, and at the end for everything in a type: `Type.*`.
 */
export function unannounced(changes: readonly SchemaChange[], changelog: string): SchemaChange[] {
  const [, unreleased = ''] = changelog.split(/^## /m);
  const named = [...unreleased.matchAll(/`([\w.*]+)`/g)].map(([, path = '']) => patternOf(path));
  return changes.filter(
    ({ level, path }) => level === CriticalityLevel.Breaking && !named.some((pattern) => pattern.test(path)),
  );
}

function patternOf(path: string): RegExp {
  const [, above = path, below] = /^(.*?)(\.\*)?$/.exec(path) ?? [];
  return new RegExp(
    `^${above.replaceAll('.', '\\.').replaceAll('*', '\\w*')}${below === undefined ? '' : '(?:\\..*)?'}$`,
  );
}

/** The lines of the report. */
export function* report(changes: readonly SchemaChange[]): Generator<string> {
  if (changes.length === 0) yield 'The schema is that of the last release.';
  for (const [level, heading] of LEVELS) {
    const some = changes.filter((change) => change.level === level);
    if (some.length === 0) continue;
    yield `${heading} (${some.length}):`;
    for (const { path, message } of some) yield `  ${path}: ${message}`;
  }
}

async function main(): Promise<void> {
  ignoreClosedPipes(process.stdout, process.stderr);
  const [released, current, changelog] = await Promise.all(
    ['schema.released.graphql', 'schema.graphql', 'CHANGELOG.md'].map((name) =>
      readFile(new URL(`../${name}`, import.meta.url), 'utf8'),
    ),
  );
  const changes = await changesBetween(released ?? '', current ?? '');
  process.stdout.write(`${[...report(changes)].join('\n')}\n`);
  const missing = unannounced(changes, changelog ?? '');
  if (missing.length === 0) return;
  const paths = missing.map(({ path }) => `  ${path}\n`).join('');
  process.stderr.write(
    `\nCHANGELOG.md does not announce these breaking changes. Say each path in backticks under "Unreleased", and what clients do instead:\n${paths}`,
  );
  process.exitCode = 1;
}

if (import.meta.main) await main();
