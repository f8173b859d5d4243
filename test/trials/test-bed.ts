// What the trials run on: an embedded PostgreSQL in a temporary folder, two tenants in it, and gateways over it.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { closeApp, createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { App } from '../../src/context.ts';
import { createServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/output/log.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { applyMigrations } from '../../src/store/migrations/migrations.ts';
import * as factories from '../support/factories.ts';
import { SECRET_KEY } from './secret-key.ts';

interface Tenant {
  readonly authorization: string;
  readonly teamId: bigint;
  readonly workspaceId: bigint;
}

interface TrialGateway {
  readonly app: App;
  /** What was logged at `warn` and above, a line each. */
  readonly logLines: string[];
  /** Sends one request; how long it took, in milliseconds. */
  send(path: string, tenant: Tenant, query?: string): Promise<{ status: number; text: string; ms: number }>;
  close(): Promise<void>;
}

export interface TestBed {
  readonly url: string;
  readonly tenants: readonly [Tenant, Tenant];
  gateway(
    env?: Record<string, string>,
    addresses?: { databaseUrl?: string; listenUrl?: string },
  ): TrialGateway;
}

/** Runs `work` on a test bed of its own, and tears it down whatever happens. */
export async function withTestBed(work: (testBed: TestBed) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fg-trial-'));
  await chmod(folder, 0o755);
  const database = await openEmbedded({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } });
  const gateways: TrialGateway[] = [];
  try {
    const pool = new pg.Pool({ connectionString: database.url });
    await applyMigrations(pool);
    await pool.end();
    const gateway: TestBed['gateway'] = (env = {}, addresses = {}) => {
      const made = createTrialGateway(env, { databaseUrl: database.url, ...addresses });
      gateways.push(made);
      return made;
    };
    const { app } = gateway();
    const tenant = async (): Promise<Tenant> => {
      const { id, teamId } = await factories.workspace(app);
      const { authorization } = await factories.apiKey(app, { teamId });
      return { authorization: authorization ?? '', teamId, workspaceId: id };
    };
    await work({ url: database.url, tenants: [await tenant(), await tenant()], gateway });
  } finally {
    for (const gateway of gateways) await gateway.close();
    await database.release();
    await rm(folder, { recursive: true, force: true });
  }
}

function createTrialGateway(
  env: Record<string, string>,
  addresses: { databaseUrl: string; listenUrl?: string },
): TrialGateway {
  const logLines: string[] = [];
  const log = createLogger('warn', { write: (line) => logLines.push(line) });
  const secrets = { ...addresses, secretKeys: () => [SECRET_KEY] };
  const app = createApp(parseConfig(env, '/').config, secrets, { log });
  const server = createServer(app);
  return {
    app,
    logLines,
    async send(path, { authorization }, query) {
      const started = performance.now();
      const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
      const body = query === undefined ? {} : { method: 'POST', body: JSON.stringify({ query }) };
      const response = await server.fetch(new Request(`http://localhost:4000${path}`, { headers, ...body }));
      const text = await response.text();
      return { status: response.status, text, ms: performance.now() - started };
    },
    close: () => closeApp(app),
  };
}

/** A quantile of some times, in whole milliseconds. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
}

/** Prints a finding, and makes the trial fail where it is not as it should be. */
export function report(finding: string, isGood: boolean): void {
  process.stdout.write(`${isGood ? 'ok  ' : 'BAD '} ${finding}\n`);
  if (!isGood) process.exitCode = 1;
}
