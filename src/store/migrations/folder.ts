// Reads the migrations and the resulting schema from the disk.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with `schema/` and `migrations/`. */
export const PRISMA_FOLDER = fileURLToPath(new URL('../../../prisma', import.meta.url));

/** Reads the files of the resulting schema, including its subfolders. */
export async function readSchema(prismaFolder: string): Promise<{ path: string; content: string }[]> {
  const folder = join(prismaFolder, 'schema');
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => name.endsWith('.prisma')).sort();
  return Promise.all(
    paths
      .map((name) => join(folder, name))
      .map(async (path) => ({ path, content: await readFile(path, 'utf8') })),
  );
}

/** One migration: its folder's name and its SQL. */
export interface Migration {
  name: string;
  sql: string;
}

/** Reads the migrations in the order in which they are applied. */
export async function readMigrations(prismaFolder: string): Promise<Migration[]> {
  const folder = join(prismaFolder, 'migrations');
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names
      .sort()
      .map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
}

/** The checksum of a migration's file that Prisma records. */
export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** Whether the SQL has this checksum. Line ends that Git has changed do not count as an edit. */
export function isUnedited(migration: Migration, checksum: string): boolean {
  const unix = migration.sql.replaceAll('\r\n', '\n');
  return [migration.sql, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum);
}
