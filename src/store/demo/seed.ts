// Puts the demo teams into an empty store: all of them in one transaction, and once however many processes try.

import { countSales } from '../changing/page-sales.ts';
import { type Executor, executorOf, inOrder } from '../connections/executor.ts';
import { toStoreError } from '../connections/failures.ts';
import { withoutLimits } from '../seed/bulk.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Store } from '../store.ts';
import { type Fixture, readHistory, readRows, readVisits } from './fixture.ts';
import { insertHistory } from './history.ts';
import { type Completions, insertRows } from './insert-rows.ts';
import type { MakeUpAttempts } from './past-records.ts';
import { completeGrant, DEMO_EMAIL, lockDemoEmail, withoutPerson } from './person.ts';
import { insertVisits } from './visits.ts';

export interface DemoSummary {
  readonly teamIds: readonly bigint[];
  readonly workspaceIds: readonly bigint[];
  readonly contacts: number;
}

/** What is random, and kept by whoever seeds: called inside the transaction, and only by the one process that does it. */
export interface DemoSecrets {
  /** Makes the default key of each team, in their order. What it returns is stored; whoever makes it keeps the key itself. */
  readonly issueKey: () => Promise<{ readonly hash: Uint8Array; readonly hint: string }>;
  /** Makes the password of the demo's person and returns its hash; not called where somebody has her e-mail address already. */
  readonly issuePassword: () => Promise<string>;
}

/**
 * Seeds the demo data, unless the store holds a team. Apart from the secrets it is the same every time.
 * @returns null when there was a team already
 * @throws AppError `unavailable` when the database is unavailable
 */
export async function seedDemo(
  { pool }: Pick<Store, 'pool'>,
  now: Date,
  secrets: DemoSecrets,
  makeUpAttempts: MakeUpAttempts,
): Promise<DemoSummary | null> {
  const data = { rows: await readRows(), history: await readHistory(), visits: await readVisits() };
  const seeding = withoutLimits(pool, (client) =>
    seedEmpty(inOrder(executorOf(client)), data, now, secrets, makeUpAttempts),
  );
  return seeding.catch((error: unknown) => {
    throw toStoreError(error);
  });
}

interface DemoData {
  readonly rows: Fixture;
  readonly history: Awaited<ReturnType<typeof readHistory>>;
  readonly visits: Awaited<ReturnType<typeof readVisits>>;
}

async function seedEmpty(
  steps: Executor,
  { rows, history, visits }: DemoData,
  start: Date,
  secrets: DemoSecrets,
  makeUpAttempts: MakeUpAttempts,
): Promise<DemoSummary | null> {
  // Whoever else wants to add a team waits here, and then finds ours.
  await steps.$executeRawUnsafe('lock table teams in share row exclusive mode');
  const teams = await steps.$queryRawUnsafe<object[]>('select from teams limit 1');
  if (teams.length > 0) return null;
  await restartIds(steps);
  const isTaken = await lockDemoEmail(steps);
  const fixture = isTaken ? withoutPerson(rows) : rows;
  const inserted = await insertRows(steps, fixture, start, completionsWith(secrets));
  const workspaces = await steps.$queryRawUnsafe<DemoWorkspace[]>(
    'select id, team_id as "teamId", subdomain from workspaces order by id',
  );
  for (const { id: workspaceId, teamId, subdomain } of workspaces) {
    await insertVisits(steps, workspaceId, visits[subdomain] ?? {}, start);
    await countSales(steps, workspaceId, await findPaid(steps, workspaceId));
    const past = history[subdomain];
    if (past === undefined) continue;
    const recoloredId = inserted.idOf('tags', past.recolored.tag, subdomain);
    await insertHistory(steps, { teamId, workspaceId, recoloredId, start }, past, makeUpAttempts);
  }
  return {
    teamIds: inserted.idsOf('teams'),
    workspaceIds: inserted.idsOf('workspaces'),
    contacts: inserted.idsOf('contacts').length,
  };
}

/** A workspace of the demo, whose subdomain is its key in the data. */
interface DemoWorkspace {
  readonly id: bigint;
  readonly teamId: bigint;
  readonly subdomain: string;
}

/** What is random in the rows. */
function completionsWith({ issueKey, issuePassword }: DemoSecrets): Completions {
  return {
    async api_keys() {
      const { hash, hint } = await issueKey();
      return { token_hash: `\\x${Buffer.from(hash).toString('hex')}`, hint };
    },
    users: async () => ({ email: DEMO_EMAIL, password_hash: await issuePassword() }),
    oauth_grants: completeGrant,
  };
}

/** Finds the invoices for which money has arrived. */
async function findPaid(steps: Executor, workspaceId: bigint): Promise<bigint[]> {
  const rows = await steps.$queryRawUnsafe<{ id: bigint }[]>(
    'select id from order_invoices where workspace_id = $1::bigint and paid_at is not null',
    workspaceId,
  );
  return rows.map(({ id }) => id);
}

/** Without teams there is nothing at all, but people and what they granted: an earlier attempt that failed must not have used up the first ids. */
async function restartIds(steps: Executor): Promise<void> {
  const tables = Object.keys(TYPE_NUMBER).filter((name) => !['users', 'oauth_grants'].includes(name));
  await steps.$queryRawUnsafe(
    `select setval(pg_get_serial_sequence(name, 'id'), 1, false) from unnest($1::text[]) as name`,
    tables,
  );
}
