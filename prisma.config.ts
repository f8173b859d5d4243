// What Prisma's command line (npx prisma …) is told: where the schema is, and the database of the gateway.
import process from 'node:process';
import { defineConfig } from 'prisma/config';

const { DATABASE_URL: url } = process.env;

// Before any command Prisma downloads its schema engine, which only `migrate` and `db` use. The others take any executable file for it,
// and so need no network.
if (!process.argv.some((word) => ['migrate', 'db'].includes(word)))
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
// Nor does it ask over the network whether there is a newer version.
process.env['CHECKPOINT_DISABLE'] ??= '1';

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  ...(url && { datasource: { url } }),
});
