// `npm run codegen`: writes the public GraphQL contract, schema.graphql, and the typed documents that tests use.
// `node codegen.ts documents` writes the documents alone, so that `npm test` does not hide a contract that has drifted.
import { glob, readFile, writeFile } from 'node:fs/promises';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { printSchema } from 'graphql';
import { schema } from './src/graphql/schema.ts';

const sdl = `${printSchema(schema)}\n`;
if (process.argv[2] !== 'documents') await writeFile('schema.graphql', sdl);

await generate(
  {
    schema: sdl,
    documents: await findDocuments(),
    ignoreNoDocuments: true,
    silent: true,
    errorsOnly: true,
    importExtension: '.ts',
    generates: {
      'test/generated/': {
        preset,
        presetConfig: { fragmentMasking: false },
        config: {
          useTypeImports: true,
          strictScalars: true,
          scalars: {
            BigInt: { input: 'number | string', output: 'number' },
            DateTime: 'string',
            JSON: 'unknown',
          },
        },
      },
    },
  },
  true,
);

/** The test files that hand a document to `graphql(...)`; to parse all the others would take much longer. */
async function findDocuments(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('test/**/*.ts', { exclude: ['test/generated/**', '**/node_modules/**'] })) {
    if (/\bgraphql\(\s*`/.test(await readFile(file, 'utf8'))) files.push(file);
  }
  return files;
}
