// A store that the gateway's own commands have migrated and distributed over nodes of Citus.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../child-processes.ts';
import { SECRET_KEY } from '../secret-key.ts';
import { installCitus, type Nodes, startNodes, startPlain } from './nodes.ts';

const { CITUS_SOURCE, PG_CONFIG = '/usr/lib/postgresql/15/bin/pg_config' } = process.env;

/** What to do where there is no Citus. */
export const MISSING =
  'Citus is not installed, and CITUS_SOURCE does not name the archive of its source (citus-13.0.5-src.tar.gz).';

/** Nodes with an empty database. @returns null where Citus is not installed and cannot be built */
export async function startCitus(settings?: readonly string[]): Promise<Nodes | null> {
  return (await installCitus(PG_CONFIG, CITUS_SOURCE)) ? startNodes(PG_CONFIG, settings) : null;
}

/** The PostgreSQL that Citus is installed into, without it. */
export function startWithoutCitus(settings?: readonly string[]): Promise<Nodes> {
  return startPlain(PG_CONFIG, settings);
}

/** Runs a command of the gateway on a database. @returns what it printed @throws Error with what it said when it failed */
export async function gatewayCommand(databaseUrl: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, SECRET_KEY };
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/funnel-gateway.js', ...args], {
    cwd: ROOT,
    env,
  });
  return stdout;
}

/** Makes an empty database a distributed store. @param fill puts rows into it before it is distributed */
export async function distributeStore(
  databaseUrl: string,
  shards: number,
  fill = async () => {},
): Promise<void> {
  await gatewayCommand(databaseUrl, 'migrate');
  await fill();
  await gatewayCommand(databaseUrl, 'distribute', '--shards', String(shards));
}
