// Prisma's schema engine (WebAssembly), over our own connections. A development tool: it writes migrations (create.ts), and tests compare
// its view of applied migrations with ours.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
import { readMigrations, readSchema } from './folder.ts';

/** The input of every engine call. */
interface EngineInput {
  readonly migrationsList: MigrationList;
  readonly schema: SchemasContainer;
  readonly filters: SchemaFilter;
}

/**
 * Runs `work` with an engine that reads and writes the pool's database.
 * @param administratorUrl the user who creates the engine's shadow database; absent: the pool's user, who then needs CREATEDB
 */
export async function withEngine<T>(
  pool: pg.Pool,
  prismaFolder: string,
  work: (engine: SchemaEngine, input: EngineInput) => Promise<T>,
  administratorUrl?: string,
): Promise<T> {
  const schema = await readSchema(prismaFolder);
  const engine = await SchemaEngine.new(
    { datamodels: schema.map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(createAdapterFactory(pool, administratorUrl)),
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

/** Prisma's factory without its faults: its shadow database would be the main one if the pool has a connection string. */
function createAdapterFactory(
  pool: pg.Pool,
  administratorUrl: string | undefined,
): SqlMigrationAwareDriverAdapterFactory {
  const { provider, adapterName } = new PrismaPg(pool);
  const asMaker = async (work: (maker: pg.Pool) => Promise<unknown>) => {
    if (administratorUrl === undefined) return work(pool);
    const administrator = new pg.Pool({ connectionString: administratorUrl, max: 1 });
    return work(administrator).finally(() => administrator.end());
  };
  return {
    provider,
    adapterName,
    connect: () => createAdapter(pool),
    connectToShadowDb: async () => {
      const database = `funnel_gateway_shadow_${randomBytes(6).toString('hex')}`;
      const { host, port, user, password, ssl } = new pg.Client(pool.options);
      await asMaker((maker) =>
        maker.query(`create database ${database} owner ${pg.escapeIdentifier(user ?? '')}`),
      );
      const login = { ...(user && { user }), ...(password && { password }) };
      const shadow = new pg.Pool({ host, port, database, ssl, max: 2, ...login });
      shadow.on('error', () => {});
      return Object.assign(await createAdapter(shadow), {
        dispose: async () => {
          await shadow.end();
          await asMaker((maker) => maker.query(`drop database if exists ${database} with (force)`));
        },
      });
    },
  };
}

/** Prisma's adapter without its faults: it splits scripts at every semicolon, and does not know PostgreSQL's type "char". */
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

/** Converts an error of PostgreSQL to the form of Prisma's engine. */
function toAdapterError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const { code = 'N/A', severity = 'ERROR', message, detail, column, hint } = error;
  return new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint });
}
