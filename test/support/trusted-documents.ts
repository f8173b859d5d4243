// Files with trusted documents, in the forms in which build tools write them.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
export const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** What GraphQL Code Generator's client preset writes. */
export const codegenManifest = (...texts: string[]) =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [`sha256:${sha256(text)}`, text])));

/** What Relay's compiler writes. */
export const relayManifest = (...texts: string[]) =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [md5(text), text])));

/** What Apollo's `generate-persisted-query-manifest` writes. */
export const apolloManifest = (...texts: string[]) =>
  JSON.stringify({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: texts.map((body) => ({ id: sha256(body), name: 'Some', type: 'query', body })),
  });

/** Files with these contents in a folder of their own. */
export async function writeManifests(...contents: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'trusted-documents-'));
  const paths = contents.map((_, index) => join(folder, `manifest-${index}.json`));
  await Promise.all(paths.map((path, index) => writeFile(path, contents[index] ?? '')));
  return { folder, paths, remove: () => rm(folder, { recursive: true, force: true }) };
}
