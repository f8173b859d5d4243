// Generates the Prisma client into generated/prisma, without a network. It calls Prisma's generator itself: the package `prisma`,
// its command line, brings 180 MB that nothing here uses. JavaScript, because an install runs it on whatever Node there is.
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Generates the client. @throws Error when the generator is not installed (npm ci --omit=optional), or the schema is wrong */
export async function generateClient() {
  // As CommonJS: their ES modules import what Node does not resolve.
  const require = createRequire(import.meta.url);
  const { getGenerator, loadSchemaContext } = require('@prisma/internals');
  const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
  const schema = fileURLToPath(new URL('schema', import.meta.url));
  const schemaContext = await loadSchemaContext({
    schemaPath: { cliProvidedPath: schema },
    printLoadMessage: false,
  });
  const client = await getGenerator({
    schemaContext,
    registry: {
      'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() },
    },
    skipDownload: true,
    cliCommand: 'generate',
  });
  await client.generate();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generateClient();
