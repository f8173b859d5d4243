// An invalid manifest prevents the gateway's start, with the file and the entry in the message; config and `doctor` report it too.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkTrustedDocuments } from '../../../src/commands/doctor/trusted-documents.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { loadTrustedDocuments } from '../../../src/graphql/trusted-documents/load.ts';
import { apolloManifest, codegenManifest, sha256, writeManifests } from '../../support/trusted-documents.ts';

const GOOD = 'query Good { viewer { kind } }';
const files = await writeManifests(codegenManifest(GOOD));
afterAll(() => files.remove());

const configOf = (paths: string, env: Record<string, string> = {}) =>
  parseConfig({ TRUSTED_DOCUMENTS: paths, ...env }, files.folder).config;

async function failureOf(content: string, env: Record<string, string> = {}): Promise<string> {
  const path = join(files.folder, 'wrong.json');
  await writeFile(path, content);
  const config = configOf('manifest-0.json, wrong.json', env);
  const [finding] = await checkTrustedDocuments(config);
  expect(finding?.status).toBe('fail');
  try {
    loadTrustedDocuments(config);
  } catch (error) {
    expect((error as Error).name).toBe('StartupError');
    expect((error as Error).message).toBe(finding?.message);
    expect((error as Error).message).toContain(path);
    return (error as Error).message;
  }
  return expect.fail('it was loaded');
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: kind`).join(' ');

describe('the gateway does not start with', () => {
  test.each<[string, string, RegExp]>([
    ['a file that is no JSON', '{', /wrong\.json: it is no JSON\.$/],
    ['a list', '[]', /wrong\.json: it is no JSON object\.$/],
    ['another format', '{"format":"x","version":1,"operations":[]}', /format is not version 1 of apollo-/],
    [
      'another version of the format',
      '{"format":"apollo-persisted-query-manifest","version":2,"operations":[]}',
      /format is not version 1/,
    ],
    ['an operation without an id', apolloManifest(GOOD).replace(/"id":"\w+",/, ''), /operation 0 has no id/],
    ['a text that is none', '{"a":1}', /entry "a" is no text/],
    ['an id without characters', JSON.stringify({ '': GOOD }), /no id of 1 to 256 characters/],
    [
      'an id that is not the hash of the text',
      codegenManifest(GOOD).replace('kind', 'name'),
      /entry "sha256:\w+": the id is not the SHA-256 of the text\.$/,
    ],
    [
      'such an id without its prefix',
      apolloManifest(GOOD).replace('kind', 'name'),
      /entry "\w+": the id is not the SHA-256/,
    ],
    ['a text that is no GraphQL', JSON.stringify({ a: '{' }), /entry "a": Syntax Error/],
    [
      'a field that the schema has not',
      JSON.stringify({ a: '{ nope }' }),
      /entry "a": Cannot query field "nope" on type "Query"\./,
    ],
    [
      'fragments that contain themselves',
      JSON.stringify({ a: '{ ...A } fragment A on Query { ...A }' }),
      /entry "a": Cannot spread fragment "A" within itself/,
    ],
    [
      'more aliases than any document may have',
      JSON.stringify({ a: `{ viewer { ${many(501)} } }` }),
      /entry "a": The document has 501 aliases/,
    ],
    [
      'very many tokens',
      JSON.stringify({ a: `{ viewer { ${'kind '.repeat(5_000)} } }` }),
      /entry "a": Syntax Error: Document contains more than 4000 tokens/,
    ],
    ['several problems', JSON.stringify({ a: '{', b: '{ nope }' }), /entry "a": .+; .+ entry "b": /],
  ])('%s', async (_what, content, message) => {
    expect(await failureOf(content)).toMatch(message);
  });

  test('introspection, if introspection is off', async () => {
    const content = JSON.stringify({ a: '{ __schema { __typename } }' });
    expect(await failureOf(content, { INTROSPECTION: 'off' })).toMatch(/entry "a": .*introspection/i);
  });

  test('one id for two documents in different files', async () => {
    await writeFile(join(files.folder, 'first.json'), JSON.stringify({ a: GOOD }));
    await writeFile(join(files.folder, 'second.json'), JSON.stringify({ a: '{ __typename }' }));
    expect(() => loadTrustedDocuments(configOf('first.json,second.json'))).toThrow(
      /second\.json, entry "a": another document has this id/,
    );
    await writeFile(join(files.folder, 'second.json'), JSON.stringify({ a: GOOD, b: GOOD }));
    expect(loadTrustedDocuments(configOf('first.json,second.json')).size).toBe(1);
  });

  test('a missing or very large file', async () => {
    expect(() => loadTrustedDocuments(configOf('none.json'))).toThrow(/none\.json: ENOENT/);
    await writeFile(join(files.folder, 'large.json'), ' '.repeat(17 * 1024 * 1024));
    expect(() => loadTrustedDocuments(configOf('large.json'))).toThrow(
      'the files have more than 16777216 bytes',
    );
  });

  test('very many problems, reported in a few lines', async () => {
    const all = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`id${i}`, '{ nope }']));
    const message = await failureOf(JSON.stringify(all));
    expect(message).toMatch(/; and 490 more\.$/);
    expect(message.length).toBeLessThan(3_000);
  });
});

test('a client may use the id of a document with and without its algorithm prefix', () => {
  const documents = loadTrustedDocuments(configOf('manifest-0.json'));
  expect(documents.find(sha256(GOOD))?.text).toBe(GOOD);
  expect(documents.find(`sha256:${sha256(GOOD)}`)?.text).toBe(GOOD);
  expect(documents.find(`x-other:${sha256(GOOD)}`)).toBeUndefined();
});

test.each([
  [{ TRUSTED_DOCUMENTS: 'a.json,,b.json' }, 'TRUSTED_DOCUMENTS must be paths of files, separated by commas'],
  [
    { TRUSTED_DOCUMENTS_ONLY: 'on' },
    'TRUSTED_DOCUMENTS_ONLY must be on or off, and on only with TRUSTED_DOCUMENTS',
  ],
  [
    { TRUSTED_DOCUMENTS_ONLY: 'perhaps', TRUSTED_DOCUMENTS: 'a.json' },
    'TRUSTED_DOCUMENTS_ONLY must be on or off',
  ],
])('%j is an invalid configuration', (env, message) => {
  expect(() => parseConfig(env, '/')).toThrow(message);
});

test('doctor counts them, and reports what is off', async () => {
  expect(await checkTrustedDocuments(configOf('manifest-0.json'))).toMatchObject([
    { status: 'ok', message: '1 in one file; others are executed too' },
  ]);
  const strict = configOf('manifest-0.json', { TRUSTED_DOCUMENTS_ONLY: 'on' });
  expect(await checkTrustedDocuments(strict)).toMatchObject([
    { status: 'ok', message: '1 in one file; no other document is executed, and GraphiQL is off' },
  ]);
  expect(await checkTrustedDocuments(parseConfig({}, '/').config)).toEqual([]);
});
