// `npm run migration -- add_x`: writes the next migration, from the existing ones to prisma/schema. It needs no network: the engine is
// Prisma's own as WebAssembly, over connections of ours. The tests ask it what it makes of the migrations that the gateway applies.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import {
  type MigrationList,
  SchemaEngine,
  type SchemaFilter,
  type SchemasContainer,
} from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { NOUNS, type Noun } from '../src/resources/nouns.ts';
import { openEmbedded } from '../src/store/embedded/embedded.ts';
import { PRISMA_FOLDER, readMigrations, readSchema } from '../src/store/migrations/folder.ts';

/** As the rules for migrations ask of what is not known to be harmless to a version that runs. */
const CHECKED = '-- checked: of a table that no version before has';

/**
 * Completes a migration with what Prisma cannot express about new tables of nouns: the sequence of their ids, their public ids, which rows
 * tenants may change, and that change times are announced where lists are ordered by them.
 */
export function completeMigration(sql: string, nouns: readonly Noun[] = NOUNS): string {
  return nouns.reduce((text, { table, number, sorts }) => {
    const creation = new RegExp(String.raw`^CREATE TABLE "${table}" \([\s\S]*?^\);$`, 'm');
    return text.replace(creation, (made) =>
      [
        `CREATE SEQUENCE ${table}_id_seq;\n`,
        made.replace(
          /^( *)"public_id" .*$/m,
          `$1"public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(${number}, id)) STORED,`,
        ),
        `\nALTER SEQUENCE ${table}_id_seq OWNED BY ${table}.id;`,
        // On Citus it distributes the table: foreign keys are added behind it.
        `${CHECKED}\ncall open_to_tenants('${table}', 'select, insert, update, delete');`,
        ...(sorts === undefined ? [] : [`${CHECKED}\ncall list_by_time('${table}', ${number});`]),
      ].join('\n'),
    );
  }, sql);
}

/** Writes the migration and returns its path; null when nothing differs. @param pool any database of a server */
export async function createMigration(
  pool: pg.Pool,
  name: string,
  prismaFolder = PRISMA_FOLDER,
): Promise<string | null> {
  if (!/^[a-z0-9_]{1,60}$/.test(name))
    throw new Error(`"${name}" is no name for a migration: use lower-case letters, digits and underscores.`);
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
  );
  if (exitCode === 0) return null;
  const directory = `${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}_${name}`;
  const path = join(prismaFolder, 'migrations', directory, 'migration.sql');
  await mkdir(dirname(path));
  await writeFile(path, completeMigration(stdout ?? ''));
  return path;
}

/** What every call of the engine wants to know. */
interface EngineInput {
  readonly migrationsList: MigrationList;
  readonly schema: SchemasContainer;
  readonly filters: SchemaFilter;
}

/** Runs `work` with an engine that reads and writes the pool's database. */
export async function withEngine<T>(
  pool: pg.Pool,
  prismaFolder: string,
  work: (engine: SchemaEngine, input: EngineInput) => Promise<T>,
): Promise<T> {
  const schema = await readSchema(prismaFolder);
  const engine = await SchemaEngine.new(
    { datamodels: schema.map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(createAdapterFactory(pool)),
  );
  try {
    return await work(engine, {
      migrationsList: await listMigrations(prismaFolder),
      schema: { files: schema },
      filters: { externalTables: [], externalEnums: [] },
    });
  } finally {
    engine.free();
  }
}

async function listMigrations(prismaFolder: string): Promise<MigrationList> {
  const baseDir = join(prismaFolder, 'migrations');
  const lockfile = 'migration_lock.toml';
  return {
    baseDir,
    lockfile: { path: lockfile, content: await readFile(join(baseDir, lockfile), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: (await readMigrations(prismaFolder)).map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

/** Prisma's own factory, less its faults; its shadow database is the main one if the pool has a connection string. */
function createAdapterFactory(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  const { provider, adapterName } = new PrismaPg(pool);
  return {
    provider,
    adapterName,
    connect: () => createAdapter(pool),
    connectToShadowDb: async () => {
      const database = `funnel_gateway_shadow_${randomBytes(6).toString('hex')}`;
      await pool.query(`create database ${database}`);
      const { host, port, user, password, ssl } = new pg.Client(pool.options);
      const login = { ...(user && { user }), ...(password && { password }) };
      const shadow = new pg.Pool({ host, port, database, ssl, max: 2, ...login });
      shadow.on('error', () => {});
      return Object.assign(await createAdapter(shadow), {
        dispose: async () => {
          await shadow.end();
          await pool.query(`drop database if exists ${database} with (force)`);
        },
      });
    },
  };
}

/** Prisma's own adapter, which cuts scripts at every semicolon, and does not know PostgreSQL's type "char". */
async function createAdapter(pool: pg.Pool): Promise<SqlDriverAdapter> {
  const charColumns = new WeakMap<unknown[][], number[]>();
  const query = async (config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> => {
    const result = await pool.query(config);
    const found = result.fields.filter((field) => field.dataTypeID === pg.types.builtins.CHAR);
    charColumns.set(
      result.rows,
      found.map((field) => result.fields.indexOf(field)),
    );
    for (const field of found) field.dataTypeID = pg.types.builtins.TEXT;
    return result;
  };
  const adapter = await new PrismaPg(Object.create(pool, { query: { value: query } })).connect();
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    executeScript: async (script: string) => {
      await pool.query(script).catch((error: unknown) => {
        throw toAdapterError(error);
      });
    },
    queryRaw: async (statement: SqlQuery) => {
      const result = await queryRaw(statement);
      for (const i of charColumns.get(result.rows) ?? []) result.columnTypes[i] = ColumnTypeEnum.Character;
      return result;
    },
  });
}

/** As Prisma's engine takes what PostgreSQL says. */
function toAdapterError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const { code = 'N/A', severity = 'ERROR', message, detail, column, hint } = error;
  return new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint });
}

if (import.meta.main) {
  const dataDir = await mkdtemp(join(tmpdir(), 'funnel-gateway-migration-'));
  const database = await openEmbedded({ dataDir });
  const pool = new pg.Pool({ connectionString: database.url });
  try {
    const path = await createMigration(pool, process.argv[2] ?? '');
    process.stdout.write(
      path === null ? 'The schema has not changed: nothing to write.\n' : `Written: ${path}\n`,
    );
  } finally {
    await pool.end();
    await database.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}
