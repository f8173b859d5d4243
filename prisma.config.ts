// Configures Prisma's command line (npx prisma …): the path of the schema, and the gateway's database.
import process from 'node:process';
import { defineConfig } from 'prisma/config';

const { DATABASE_URL: url } = process.env;

// Before any command Prisma downloads its schema engine, which only `migrate` and `db` use. The other commands accept any executable file
// instead, and so need no network.
if (!process.argv.some((word) => ['migrate', 'db'].includes(word)))
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
// Disables the network request for newer versions.
process.env['CHECKPOINT_DISABLE'] ??= '1';

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  ...(url && { datasource: { url } }),
});
