// The rows that every subject is measured on: an embedded PostgreSQL of the bench's own, with the settings that the
// gateway ships, kept between runs below .cache/bench and filled anew when anything about it has changed.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedDatabase, openEmbedded } from '../../src/store/embedded/embedded.ts';
import { findServer } from '../../src/store/embedded/postmaster.ts';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { letPrepare } from '../support/cluster.ts';
import { fill } from './fill.ts';
import { processTreeTimeUs } from './processor-time.ts';
import type { Progress } from './progress.ts';

/** What the subjects and workloads need to know of the rows. */
export interface Manifest {
  readonly rows: number;
  /** Orders of the same workspace: their ids are 1 to this, without gaps. */
  readonly orders: number;
  /** The team that the key belongs to, and its workspaces' ids. */
  readonly teamId: number;
  readonly workspaceIds: readonly number[];
  /** The workspace with all the contacts; their ids follow each other without gaps. */
  readonly workspaceId: number;
  readonly firstContactId: number;
  /** An API key of the team with every scope. */
  readonly token: string;
}

export interface Dataset {
  readonly url: string;
  /** What a gateway is given as DATA_DIR to use this database as its embedded one. */
  readonly dataDir: string;
  readonly manifest: Manifest;
  readonly postgresVersion: string;
  /** Processor time that all processes of the server have used so far, in microseconds; null: the system does not tell. */
  cpuTimeUs(): Promise<number | null>;
  /** Stops the server, so that a gateway can start it itself; `open` takes it back. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** Raised whenever fill.ts changes what it makes. */
const VERSION = 4;

/** Starts the database with `rows` contacts in one workspace; fills it if it does not hold just that already. */
export async function openDataset(cacheDir: string, rows: number, progress: Progress): Promise<Dataset> {
  const dataDir = join(cacheDir, `rows-${rows}`);
  await mkdir(dataDir, { recursive: true });
  progress.say(`PostgreSQL in ${dataDir}`);
  let database: EmbeddedDatabase | null = await openEmbedded({ dataDir });
  try {
    await letPrepare(database);
    const { url } = database;
    const manifest = await prepare(url, rows, progress);
    return {
      url,
      dataDir,
      manifest,
      postgresVersion: await readVersion(url),
      async cpuTimeUs() {
        const server = database && (await findServer(database.dataDir));
        return server && processTreeTimeUs(server.pid);
      },
      async close() {
        await database?.release();
        database = null;
      },
      async open() {
        database ??= await openEmbedded({ dataDir });
      },
    };
  } catch (error) {
    await database.release();
    throw error;
  }
}

async function prepare(url: string, rows: number, progress: Progress): Promise<Manifest> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  try {
    const kept = await readManifest(pool);
    if (kept?.rows === rows) {
      progress.say(`${rows.toLocaleString('en')} contacts are there from an earlier run`);
      // What a filled database would have in memory too.
      await pool.query('select count(c.updated_at), sum(length(t::text)) from contacts c, bench.manifest t');
      return kept;
    }
    progress.say(`Filling with ${rows.toLocaleString('en')} contacts (once; later runs use them again)`);
    await pool.query(
      'drop schema if exists bench, funnel_gateway_jobs cascade; drop schema public cascade; create schema public; create schema bench',
    );
    await applyMigrations(pool);
    const manifest = await fill(pool, rows, progress);
    await pool.query('create table bench.manifest (version int, manifest jsonb)');
    await pool.query('insert into bench.manifest values ($1, $2)', [VERSION, manifest]);
    return manifest;
  } finally {
    await pool.end();
  }
}

/** The manifest of a database that was filled completely, by this version, with today's migrations; else null. */
async function readManifest(pool: pg.Pool): Promise<Manifest | null> {
  const { rows } = await pool.query<{ there: boolean }>(
    "select to_regclass('bench.manifest') is not null as there",
  );
  if (!rows[0]?.there) return null;
  const { pending, failed, edited, unknown } = await migrationState(pool);
  if ([pending, failed, edited, unknown].some((names) => names.length > 0)) return null;
  const found = await pool.query<{ manifest: Manifest }>(
    'select manifest from bench.manifest where version = $1',
    [VERSION],
  );
  return found.rows[0]?.manifest ?? null;
}

async function readVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return rows[0]?.server_version ?? 'unknown';
}
