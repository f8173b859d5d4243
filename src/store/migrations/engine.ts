// Prisma's schema engine (WebAssembly), over connections of our own. Loaded only when there is something to migrate.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
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
import type { MigrationList, SchemaEngine, SchemasContainer } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { once } from '../../concurrency/once.ts';
import { endingSession } from '../connections/ending-session.ts';
import { readTables } from '../shard-placement/state.ts';
import { dropUnrecorded, FINISH } from './cut-short.ts';
import { readMigrations, readSchema } from './folder.ts';
import { givingWay } from './giving-way.ts';
import { splitStatements, withoutComments } from './split.ts';

const PACKAGE = '@prisma/schema-engine-wasm/schema_engine_bg';

// The compiler's `esnext` library leaves it to the browser's.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: object } }>;
};

/** What every call of the engine wants to know. */
export interface EngineInput {
  migrationsList: MigrationList;
  schema: SchemasContainer;
  filters: { externalTables: string[]; externalEnums: string[] };
}

interface EngineOptions {
  /** When it is aborted, the session that executes a script is ended. */
  readonly signal?: AbortSignal;
  /** What of a migration is executed; absent: all of it. */
  readonly partOf?: (script: string) => string;
  /** Told what PostgreSQL, or the way to it, said of a script that failed. */
  readonly onFailed?: (reason: unknown) => void;
}

/** Runs `work` with an engine that reads and writes the pool's database. */
export async function withEngine<T>(
  pool: pg.Pool,
  prismaFolder: string,
  work: (engine: SchemaEngine, input: EngineInput) => Promise<T>,
  {
    signal = new AbortController().signal,
    partOf = (script) => script,
    onFailed = () => {},
  }: EngineOptions = {},
): Promise<T> {
  const schema = await readSchema(prismaFolder);
  const migrations = new Set((await readMigrations(prismaFolder)).map(({ sql }) => sql));
  const Engine = await loadEngine();
  const execute = async (script: string) => {
    try {
      const isMigration = migrations.has(script);
      await runScript(pool, isMigration ? partOf(script) : script, isMigration, signal);
    } catch (error) {
      onFailed(error);
      throw toAdapterError(error);
    }
  };
  const adapter = bindMigrationAwareSqlAdapterFactory(createAdapterFactory(pool, execute));
  const engine = await Engine.new(
    { datamodels: schema.map(({ path, content }) => [path, content]) },
    () => {},
    adapter,
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

/**
 * The package keeps its instance in a variable of its own module, so there can be only one a process. Its own entry imports the .wasm file
 * as a module, at which Node prints an experimental warning.
 */
const loadEngine = once(async (): Promise<typeof SchemaEngine> => {
  const glue = await import(PACKAGE);
  const file = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), 'schema_engine_bg.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': glue,
  });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
  return glue.SchemaEngine;
});

type Execute = (script: string) => Promise<void>;

/** Prisma's own factory, less its faults; its shadow database is the main one if the pool has a connection string. */
function createAdapterFactory(pool: pg.Pool, execute: Execute): SqlMigrationAwareDriverAdapterFactory {
  const { provider, adapterName } = new PrismaPg(pool);
  return {
    provider,
    adapterName,
    connect: () => createAdapter(pool, execute),
    connectToShadowDb: async () => {
      const database = `funnel_gateway_shadow_${randomBytes(6).toString('hex')}`;
      await pool.query(`create database ${database}`);
      const { host, port, user, password, ssl } = new pg.Client(pool.options);
      const login = { ...(user && { user }), ...(password && { password }) };
      const shadow = new pg.Pool({ host, port, database, ssl, max: 2, ...login });
      shadow.on('error', () => {});
      const executeThere: Execute = (script) =>
        runScript(shadow, script, false, new AbortController().signal).catch((error: unknown) => {
          throw toAdapterError(error);
        });
      return Object.assign(await createAdapter(shadow, executeThere), {
        dispose: async () => {
          await shadow.end();
          await pool.query(`drop database if exists ${database} with (force)`);
        },
      });
    },
  };
}

/** The engine's own lock, of a session, which a pooler would keep. Whoever migrates holds ours (lock.ts). */
const ENGINE_LOCK = /\bpg_advisory_lock\b/;

/** Prisma's own adapter, which cuts scripts at every semicolon, and does not know PostgreSQL's type "char". */
async function createAdapter(pool: pg.Pool, execute: Execute): Promise<SqlDriverAdapter> {
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
  const [queryRaw, executeRaw] = [adapter.queryRaw.bind(adapter), adapter.executeRaw.bind(adapter)];
  return Object.assign(adapter, {
    executeScript: execute,
    executeRaw: async (statement: SqlQuery) => (ENGINE_LOCK.test(statement.sql) ? 0 : executeRaw(statement)),
    queryRaw: async (statement: SqlQuery) => {
      const result = await queryRaw(statement);
      for (const i of charColumns.get(result.rows) ?? []) result.columnTypes[i] = ColumnTypeEnum.Character;
      return result;
    },
  });
}

/** Whether Citus distributes the store. */
async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  return (await readTables(client)).some(({ actual }) => actual === 'distributed');
}

/** One after the other, in one transaction; one alone may be a statement that takes no transaction. */
async function runAlone(client: pg.ClientBase, statements: readonly string[]): Promise<void> {
  const [only, ...others] = statements;
  if (only === undefined) return;
  if (others.length === 0) {
    await client.query(only);
    return;
  }
  await client.query('begin');
  try {
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * PostgreSQL runs a script of many statements as one transaction: a migration that fails leaves nothing behind. One that waits for a lock
 * makes everybody wait who comes behind it, so it gives up soon and tries again later. Building an index concurrently makes nobody wait.
 */
async function runScript(
  pool: pg.Pool,
  script: string,
  isMigration: boolean,
  signal: AbortSignal,
): Promise<void> {
  const statements = splitStatements(script).map(withoutComments);
  const isPatient = statements.length === 1 && /\bconcurrently\b/i.test(statements.join());
  const whole = isMigration && !isPatient ? script + FINISH : script;
  const client = await pool.connect();
  const attempt = async () => {
    if (isPatient) await dropUnrecorded(client, script);
    if (await isDistributed(client)) await runAlone(client, splitStatements(whole));
    else await client.query(whole);
  };
  try {
    await endingSession({ client, pool, signal }, () =>
      givingWay(client, signal, attempt, isPatient ? 0 : undefined),
    );
  } finally {
    await client.query('set lock_timeout = 0').catch(() => {});
    // Its end may still be on the way: nobody is to be given it.
    client.release(signal.aborted);
  }
}

/** As Prisma's engine takes what PostgreSQL says. */
function toAdapterError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const { code = 'N/A', severity = 'ERROR', message, detail, column, hint } = error;
  return new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint });
}
