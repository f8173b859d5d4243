// `npm run codegen`: writes the public contracts, schema.graphql and openapi.json, the guides' tables and the guide to the operations, and
// the typed documents for tests. `node codegen.ts documents` writes only the documents, so that `npm test` does not hide a contract that has
// drifted.
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { printWithScopes } from './src/graphql/print.ts';
import { schema } from './src/graphql/schema.ts';
import { withVariables } from './test/docs/configuration-guide.ts';
import { operationsGuide } from './test/docs/operations-guide.ts';
import { withSchemaCounts } from './test/docs/schema-counts.ts';

const CONFIGURATION_GUIDE = 'docs/configuration.md';
const GRAPHQL_GUIDE = 'docs/graphql.md';
const OPERATIONS_GUIDE = 'docs/operations.md';

const sdl = printWithScopes(schema);
if (process.argv[2] !== 'documents') {
  await writeFile('schema.graphql', sdl);
  await writeFile('openapi.json', await makeOpenApi());
  await writeFile(GRAPHQL_GUIDE, withSchemaCounts(await readFile(GRAPHQL_GUIDE, 'utf8'), schema, sdl));
  await writeFile(OPERATIONS_GUIDE, operationsGuide(schema));
  await writeFile(CONFIGURATION_GUIDE, withVariables(await readFile(CONFIGURATION_GUIDE, 'utf8')));
}

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
            CurrencyCode: 'string',
            Date: 'string',
            DateTime: 'string',
            Decimal: 'string',
            JSON: 'unknown',
          },
        },
      },
    },
  },
  true,
);

/** Makes openapi.json. Its examples are answers from a database with the demo data, which this starts. */
async function makeOpenApi(): Promise<string> {
  // Loads these modules here, because the documents do not need them.
  const [{ exampleClock, openApiText }, { openEmbedded }, { applyMigrations }, { createApp, closeApp }] =
    await Promise.all([
      import('./test/support/openapi-examples.ts'),
      import('./src/store/embedded/embedded.ts'),
      import('./src/store/migrations/migrations.ts'),
      import('./src/app.ts'),
    ]);
  const [{ parseConfig }, { default: pg }] = await Promise.all([
    import('./src/config/config.ts'),
    import('pg'),
  ]);
  const dataDir = await mkdtemp(join(tmpdir(), 'funnel-gateway-codegen-'));
  const database = await openEmbedded({ dataDir, settings: { fsync: 'off' } });
  try {
    const pool = new pg.Pool({ connectionString: database.url });
    await applyMigrations(pool);
    await pool.end();
    const { config } = parseConfig({ LOG_LEVEL: 'error' }, '/');
    const secrets = { databaseUrl: database.url, secretKeys: () => ['the secret key of the examples'] };
    const app = createApp(config, secrets, { clock: exampleClock });
    const text = await openApiText(app);
    await closeApp(app);
    return text;
  } finally {
    await database.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The test files that pass a document to `graphql(...)`. Parsing all the others would take much longer. */
async function findDocuments(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('test/**/*.ts', { exclude: ['test/generated/**', '**/node_modules/**'] })) {
    if (/\bgraphql\(\s*`/.test(await readFile(file, 'utf8'))) files.push(file);
  }
  return files;
}
