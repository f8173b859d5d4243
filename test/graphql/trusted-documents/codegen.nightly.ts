// A run of GraphQL Code Generator, as a front end's build makes it, writes a manifest that the gateway takes, and typed documents whose
// hashes it knows (docs/trusted-documents.md).
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { printSchema } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import * as factories from '../../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../../support/gateway.ts';

const APP = `
  import { graphql } from './gql';
  export const Name = graphql(\`
    fragment Name on Workspace { name }
  \`);
  export const Workspace = graphql(\`
    query Workspace($id: BigInt!) { workspace(by: { databaseId: $id }) { ...Name contacts(first: 2) { nodes { id } } } }
  \`);
  export const Kind = graphql(\`query Kind { viewer { kind } }\`);
`;

const folder = await mkdtemp(join(tmpdir(), 'front-end-'));
await writeFile(join(folder, 'app.ts'), APP);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the code generator with the options of the guide. @returns the generated module, as the app imports it */
async function build(out: string, config: Record<string, unknown>, persistedDocuments: unknown) {
  const gql = join(folder, out);
  await generate(
    {
      schema: printSchema(schema),
      documents: join(folder, 'app.ts'),
      silent: true,
      errorsOnly: true,
      generates: {
        [`${gql}/`]: {
          preset,
          presetConfig: { persistedDocuments },
          config: { useTypeImports: true, scalars: { BigInt: 'number' }, ...config },
        },
      },
    },
    true,
  );
  const generated = await import(/* @vite-ignore */ pathToFileURL(join(gql, 'graphql.ts')).href);
  return { manifest: join(gql, 'persisted-documents.json'), generated };
}

async function strictGateway(
  manifest: string,
): Promise<{ gateway: Gateway; caller: Caller; id: string; name: string }> {
  const gateway = await createGateway({
    env: { TRUSTED_DOCUMENTS: manifest, TRUSTED_DOCUMENTS_ONLY: 'on' },
  });
  const { id, teamId, name } = await factories.workspace(gateway.app);
  return { gateway, caller: await factories.apiKey(gateway.app, { teamId }), id: String(id), name };
}

test.each<[string, Record<string, unknown>, unknown]>([
  ['texts', { documentMode: 'string' }, true],
  ['syntax trees, of another hash', {}, { hashAlgorithm: 'sha1' }],
  ['hashes alone', {}, { mode: 'replaceDocumentWithHash', hashPropertyName: 'hash' }],
])('documents as %s are executed by their hashes alone', async (kind, config, options) => {
  const { manifest, generated } = await build(kind.replaceAll(/\W/g, '-'), config, options);
  expect(Object.keys(JSON.parse(await readFile(manifest, 'utf8')))).toHaveLength(2);
  const { gateway, caller, id, name } = await strictGateway(manifest);
  try {
    const ask = async (document: { __meta__: { hash: string } }, variables: object) => {
      const response = await gateway.send('/graphql', {
        caller,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ documentId: document.__meta__.hash, variables }),
      });
      return response.json();
    };
    expect(await ask(generated.KindDocument, {})).toEqual({ data: { viewer: { kind: 'API_KEY' } } });
    expect(await ask(generated.WorkspaceDocument, { id })).toEqual({
      data: { workspace: { name, contacts: { nodes: [] } } },
    });
  } finally {
    await gateway.close();
  }
});
