// Writes the next migration, for developers.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { isArchivable } from '../../resources/description/common-fields.ts';
import { NOUNS, type Noun } from '../../resources/nouns.ts';
import { PRISMA_FOLDER } from './folder.ts';
import { withOwnPool } from './own-pool.ts';

/** The marker that the rules for migrations require for statements that might harm a running version. */
const CHECKED_MARKER = '-- checked: of a table that no version before has';

/**
 * Completes a migration with what Prisma cannot express about tables of nouns: the sequence of their ids, their public ids, the rows that
 * tenants may change, drawn change times if lists are ordered by them, and the generated column `archived`.
 */
export function completeMigration(sql: string, nouns: readonly Noun[] = NOUNS): string {
  return nouns.reduce((text, noun) => {
    const { table, number, sorts } = noun;
    const creation = new RegExp(String.raw`^CREATE TABLE "${table}" \([\s\S]*?^\);$`, 'm');
    const addition = new RegExp(`^ALTER TABLE "${table}" [^;]*;$`, 'gm');
    const generating = isArchivable(noun) ? withGeneratedArchived : String;
    return text.replace(addition, generating).replace(creation, (made) =>
      [
        `CREATE SEQUENCE ${table}_id_seq;\n`,
        generating(made).replace(
          /^( *)"public_id" .*$/m,
          `$1"public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(${number}, id)) STORED,`,
        ),
        `\nALTER SEQUENCE ${table}_id_seq OWNED BY ${table}.id;`,
        // Foreign keys follow it, because it may also place the table on other servers (shard-placement/).
        `${CHECKED_MARKER}\ncall open_to_tenants('${table}', 'select, insert, update, delete');`,
        ...(sorts === undefined ? [] : [`${CHECKED_MARKER}\ncall list_by_time('${table}', ${number});`]),
      ].join('\n'),
    );
  }, sql);
}

/** Makes `archived` a generated column: services write only `archived_at`, so a plain column would not change. */
function withGeneratedArchived(statement: string): string {
  return statement.replace(
    /("archived" BOOLEAN)[^,;\n]*/,
    '$1 NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED',
  );
}

interface CreateOptions {
  readonly prismaFolder?: string;
  readonly administratorUrl?: string | undefined;
}

/**
 * Writes the migration from the existing ones to the schema.
 * @param administratorUrl the user who creates the database for trying the existing ones; absent: the user of `db`
 * @returns null if nothing differs @throws StartupError for an invalid name
 */
export async function createMigration(
  db: pg.Pool,
  name: string,
  { prismaFolder = PRISMA_FOLDER, administratorUrl }: CreateOptions = {},
): Promise<{ name: string; path: string } | null> {
  if (!/^[a-z0-9_]{1,60}$/.test(name)) {
    throw new StartupError(
      `"${name}" is not a name for a migration. Use lower-case letters, digits and underscores.`,
    );
  }
  return withOwnPool(db, 'migrate', async (pool) => {
    const { withEngine } = await import('./engine.ts').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new StartupError(
        'Migrations are written by development tools: in a clone, npm ci installs them.',
        {
          cause: error,
        },
      );
    });
    // The engine's own createMigration works only after another call has opened its connection.
    const { exitCode, stdout } = await withEngine(
      pool,
      prismaFolder,
      (engine, { migrationsList, schema, filters }) =>
        engine.diff({
          from: { tag: 'migrations', ...migrationsList },
          to: { tag: 'schemaDatamodel', ...schema },
          script: true,
          exitCode: true,
          filters,
        }),
      administratorUrl,
    );
    if (exitCode === 0) return null;
    const directory = `${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}_${name}`;
    const path = join(prismaFolder, 'migrations', directory, 'migration.sql');
    await mkdir(dirname(path));
    await writeFile(path, completeMigration(stdout ?? ''));
    return { name: directory, path };
  });
}
