// Files with trusted documents, in the forms of build tools.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
export const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** The form of GraphQL Code Generator's client preset. */
export const codegenManifest = (...texts: string[]) =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [`sha256:${sha256(text)}`, text])));

/** The form of Relay's compiler. */
export const relayManifest = (...texts: string[]) =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [md5(text), text])));

/** The form of Apollo's `generate-persisted-query-manifest`. */
export const apolloManifest = (...texts: string[]) =>
  JSON.stringify({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: texts.map((body) => ({ id: sha256(body), name: 'Some', type: 'query', body })),
  });

/** Writes files with these contents into a new folder. */
export async function writeManifests(...contents: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'trusted-documents-'));
  const paths = contents.map((_, index) => join(folder, `manifest-${index}.json`));
  await Promise.all(paths.map((path, index) => writeFile(path, contents[index] ?? '')));
  return { folder, paths, remove: () => rm(folder, { recursive: true, force: true }) };
}
