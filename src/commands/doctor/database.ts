// Checks whether the database is reachable, suitable for the gateway, migrated, and has the right time. Doctor neither starts nor creates
// it.
import pg from 'pg';
import type { Config, Settings } from '../../config/config.ts';
import { isLoopbackAddress } from '../../config/loopback.ts';
import type { App } from '../../context.ts';
import { signingKeyHealth } from '../../services/operator/signing-keys.ts';
import { mostConnections } from '../../store/connections/connection-counts.ts';
import { findEmbedded } from '../../store/embedded/inspect.ts';
import {
  readServerFacts,
  receivesNotifications,
  type ServerFacts,
} from '../../store/inspection/server-facts.ts';
import {
  findForeignTable,
  holdsForeignTables,
  isTooNew,
  type MigrationState,
  migrationState,
} from '../../store/migrations/migrations.ts';
import {
  findSubdomainHolders,
  holderSentence,
  toRemedy,
} from '../../store/migrations/reserved-subdomains.ts';
import { findObstacles } from '../../store/migrations/rights.ts';
import {
  isUtc,
  readSessionSettings,
  settingsRemedy,
  wrongSettings,
} from '../../store/migrations/session-settings.ts';
import { addressOf, refusalOf } from '../database.ts';
import { withSilentApp } from './connections.ts';
import { checkDistribution } from './distribution.ts';
import { type Finding, findingsOf, findingsOrOk, runCheck } from './findings.ts';
import type { Limits } from './limits.ts';
import { checkReplicas } from './replicas.ts';
import { checkStored } from './stored.ts';
import { checkTenantRole } from './tenant-role.ts';

const { fail, ok, warn } = findingsOf('database');
/** Versions of PostgreSQL. `needed`: the first migration uses its functions. `tried`: the oldest one in the gateway's tests. */
const VERSION = { needed: 14, tried: 15 };
const CLOCK_MS = { warn: 2_000, fail: 60_000 };
const OLD_KEY_DAYS = 366;
const DAY_MS = 86_400_000;

/** The settings that determine the number of connections. */
type ConnectionSettings = Pick<Config, 'poolSize' | 'jobs'>;

/** The database's address; a finding if there is none to connect to. */
type Place = { readonly url: string; readonly where: string } | Finding;

/** The folder of the embedded database's files; null for an external server, or if there is no database yet. */
export async function clusterOf({ config, secrets }: Settings): Promise<string | null> {
  if (secrets.databaseUrl !== undefined) return null;
  return (await findEmbedded(config.dataDir).catch(() => null))?.cluster ?? null;
}

/** All checks of the database. @param secretKeys the keys that decrypt its signing keys; null: unknown */
export async function checkDatabase(
  settings: Settings,
  limits: Limits,
  secretKeys: readonly string[] | null,
): Promise<Finding[]> {
  const place = await placeOf(settings);
  if (!('url' in place)) return [place];
  const connection = {
    connectionString: place.url,
    // The gateway's connections set this parameter too; a pooler may reject it.
    statement_timeout: settings.config.limits.statementTimeoutMs,
  };
  let facts: ServerFacts;
  try {
    facts = await readServerFacts(connection, limits.answerMs);
  } catch (error) {
    return [fail(refusalOf(addressOf(place.url), error), 'the rest of the database was not checked')];
  }
  const { config } = settings;
  const { listenUrl = place.url, replicaUrls } = settings.secrets;
  const urls = { databaseUrl: place.url, replicaUrls };
  const rest = await withSilentApp(config, limits, { ...urls, secretKeys: secretKeys ?? [] }, (app) => {
    const { pool } = app.store;
    const state = migrationState(pool);
    const check = (name: string, of: (state: MigrationState) => Promise<Finding[]>) =>
      runCheck(name, limits, async () => of(await state));
    return Promise.all([
      runCheck('time zone', limits, () => checkTimeZone(pool)),
      runCheck('notifications', limits, () => checkNotifications(connection, listenUrl, limits)),
      check('migrations', (state) => checkMigrations(pool, state)),
      check('privileges', (state) => checkPrivileges(pool, state)),
      check('distribution', (state) => checkDistribution(pool, state, replicaUrls.length > 0)),
      check('tenant role', (state) => checkTenantRole(pool, state)),
      check('signing keys', (state) => checkSigningKeys(app, state, secretKeys)),
      runCheck('replicas', limits, () => checkReplicas(app, replicaUrls, limits)),
      // While migrations are pending, tables may be incomplete.
      check('lists', async ({ pending }) => (pending.length > 0 ? [] : checkStored(app))),
    ]);
  });
  return [...checkFacts(facts, place, config), ...rest.flat()];
}

/** Findings about the facts that a server reports. @param where the server's name for messages */
export function checkFacts(
  facts: ServerFacts,
  place: { readonly url: string; readonly where: string },
  config: ConnectionSettings,
): Finding[] {
  return [...checkServer(facts, place), ...checkConnections(facts, config), checkClock(facts)];
}

async function placeOf({ config, secrets }: Settings): Promise<Place> {
  if (secrets.databaseUrl !== undefined)
    return { url: secrets.databaseUrl, where: addressOf(secrets.databaseUrl) };
  const found = await findEmbedded(config.dataDir);
  if (found === null) return ok(`none yet: the first start makes an embedded one in ${config.dataDir}`);
  if (found.url === null)
    return ok(
      `embedded, PostgreSQL ${found.major}, in ${found.cluster}: it is stopped, and doctor does not start it; run doctor beside a running gateway to check the rest of it`,
    );
  return { url: found.url, where: `embedded, ${found.cluster}` };
}

function checkServer(facts: ServerFacts, { url, where }: { url: string; where: string }): Finding[] {
  const version = Math.floor(facts.version / 10_000);
  const { host } = new pg.Client({ connectionString: url });
  const isNear = host.startsWith('/') || host === 'localhost' || isLoopbackAddress(host);
  return findingsOrOk(ok(`PostgreSQL ${facts.versionText} (${where})`), [
    version < VERSION.needed &&
      fail(`PostgreSQL ${facts.versionText} is too old`, `use ${VERSION.needed} or newer`),
    version >= VERSION.needed &&
      version < VERSION.tried &&
      warn(`PostgreSQL ${facts.versionText} is untried`, `use ${VERSION.tried} or newer`),
    facts.encoding !== 'UTF8' &&
      fail(`its encoding is ${facts.encoding}`, 'create the database with encoding UTF8'),
    facts.isReadOnly && fail('it is a replica or read only', 'name the primary in DATABASE_URL'),
    facts.unsafe.length > 0 &&
      warn(`${facts.unsafe.join(', ')} off: a power cut loses changes, or damages the store`, 'turn it on'),
    !isNear &&
      !facts.isPooled &&
      !facts.isEncrypted &&
      warn(`the connection to ${host} is not encrypted`, 'add ?sslmode=verify-full to DATABASE_URL'),
  ]);
}

function checkConnections(
  { maxConnections, connections, isPooled }: ServerFacts,
  config: ConnectionSettings,
): Finding[] {
  const { ok, warn } = findingsOf('connections');
  const needed = mostConnections(config);
  const most = `one process opens up to ${needed} (POOL_SIZE ${config.poolSize})`;
  if (isPooled) return [ok(`a pooler is between: it decides; ${most}`)];
  const message = `${most}; the server allows ${maxConnections}, and ${connections} are open`;
  if (needed > maxConnections)
    return [warn(message, 'raise max_connections, lower POOL_SIZE, or put a pooler between')];
  return [ok(message)];
}

function checkClock({ clockAheadMs, clockErrorMs }: ServerFacts): Finding {
  const { fail, ok, warn } = findingsOf('clock');
  const offMs = Math.max(0, Math.abs(clockAheadMs) - clockErrorMs);
  if (offMs < CLOCK_MS.warn) return ok('the clocks of the database and of this machine agree');
  const which = clockAheadMs > 0 ? 'ahead of' : 'behind';
  const message = `the clock of the database is ${(offMs / 1000).toFixed(1)} seconds ${which} this machine's`;
  const advice = 'have both machines set their clocks by NTP: keys and tokens end by them';
  return offMs < CLOCK_MS.fail ? warn(message, advice) : fail(message, advice);
}

async function checkTimeZone(pool: pg.Pool): Promise<Finding[]> {
  const { fail, ok } = findingsOf('time zone');
  const settings = await readSessionSettings(pool);
  return [
    isUtc(settings)
      ? ok('sessions use UTC and ISO 8601')
      : fail(wrongSettings(settings), settingsRemedy(settings)),
  ];
}

async function checkNotifications(
  connection: pg.ClientConfig,
  listenUrl: string,
  { answerMs }: Limits,
): Promise<Finding[]> {
  const { ok, warn } = findingsOf('notifications');
  const listening = { ...connection, connectionString: listenUrl };
  if (await receivesNotifications(connection, listening, answerMs))
    return [ok("notifications of other processes' changes arrive at once")];
  return [
    warn(
      'notifications (LISTEN) do not arrive: keys and hosts are looked up for every request',
      'set DATABASE_LISTEN_URL to PostgreSQL itself, not to a pooler',
    ),
  ];
}

/** Checks the privileges that only migrations need. `checkFacts` checks the encoding. */
async function checkPrivileges(pool: pg.Pool, { pending }: MigrationState): Promise<Finding[]> {
  const { fail, ok } = findingsOf('privileges');
  const obstacles = pending.length === 0 ? [] : await findObstacles(pool);
  const faults = obstacles.filter(({ of }) => of !== 'encoding');
  return findingsOrOk(
    ok('enough to apply what is pending'),
    faults.map(({ message, advice }) => fail(message, advice)),
  );
}

async function checkMigrations(pool: pg.Pool, state: MigrationState): Promise<Finding[]> {
  // There are no tables before the first migration.
  if (state.applied.length === 0 && state.failed.length === 0) {
    const foreign = await findForeignTable(pool);
    const advice = 'name an empty database in DATABASE_URL';
    if (foreign !== null) return [findingsOf('migrations').fail(holdsForeignTables(foreign), advice)];
  }
  const holders = state.applied.length === 0 ? [] : await findSubdomainHolders(pool);
  const { warn } = findingsOf('subdomains');
  return [checkState(state), ...holders.map((holder) => warn(holderSentence(holder), toRemedy(holder)))];
}

function checkState(state: MigrationState): Finding {
  const { applied, pending, failed, edited, unknown } = state;
  const { fail, ok, warn } = findingsOf('migrations');
  const newer = `a newer version of the gateway has migrated this database (${unknown.join(', ')})`;
  if (isTooNew(state)) return fail(newer, 'start that version');
  if (failed.length > 0)
    return fail(`${failed.join(', ')} failed`, 'run "npx funnel-gateway migrate", which says why');
  if (edited.length > 0)
    return fail(`${edited.join(', ')} was changed after it was applied`, 'install the package anew');
  if (pending.length > 0)
    return warn(
      `${pending.length} pending: ${pending.join(', ')}`,
      'serve applies them, or "migrate" before',
    );
  if (unknown.length > 0) return warn(`${newer}; this version is compatible with it`, 'start that version');
  return ok(`all ${applied.length} applied`);
}

async function checkSigningKeys(
  app: App,
  { applied }: MigrationState,
  secretKeys: readonly string[] | null,
): Promise<Finding[]> {
  const { fail, ok, warn } = findingsOf('signing keys');
  if (secretKeys === null) return [warn('not checked', 'correct the secret key first')];
  // There is no table before the first migration.
  if (applied.length === 0) return [ok('none yet: the tables are not made')];
  const { keys, opened, newestAt } = await signingKeyHealth(app);
  if (newestAt === null) return [ok('none yet: one is made when it is first needed')];
  if (opened === 0)
    return [
      fail(
        `no secret key here opens any of the ${keys}`,
        'set SECRET_KEY to the one that this store had; without it people have to sign in again',
      ),
    ];
  const days = Math.floor((app.clock().getTime() - newestAt.getTime()) / DAY_MS);
  if (days > OLD_KEY_DAYS)
    return [warn(`the newest is ${days} days old`, 'npx funnel-gateway signing-key rotate')];
  const some = opened === keys ? '' : `; ${keys - opened} of ${keys} cannot be opened here`;
  return [ok(`the newest is ${days} days old${some}`)];
}
