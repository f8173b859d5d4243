// Puts the demo teams into an empty store: all of them in one transaction, and once however many processes try.

import { LIFT_LIMITS } from '../connections/time-limits.ts';
import { createRandom } from '../seed/random.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import { type Store, type Transaction, withPrisma } from '../store.ts';
import { insertContacts } from './contacts.ts';
import { insertContent } from './content.ts';
import { TEAMS } from './data/teams.ts';
import type { Demo, Filling } from './demo.ts';
import { insertFulfillments } from './fulfillments.ts';
import { insertHistory } from './history.ts';
import { insertImages } from './images.ts';
import { insertTransactions } from './orders/order-transactions.ts';
import { insertOrders, insertOrderTags } from './orders/orders.ts';
import {
  type IssueKey,
  type IssuePassword,
  insertDemoTeam,
  insertDemoWorkspace,
  insertPerson,
} from './owners.ts';
import { insertLandingPages, insertOffers, insertThemes } from './pages.ts';
import type { MakeUpAttempts } from './past-records.ts';
import { insertCatalog } from './products.ts';
import { insertShipping } from './shipping.ts';
import { insertVisits } from './visits.ts';

export interface DemoSummary {
  readonly teamIds: readonly bigint[];
  readonly workspaceIds: readonly bigint[];
  readonly contacts: number;
}

/** What is random, and kept by whoever seeds: called inside the transaction, and only by the one process that does it. */
export interface DemoSecrets {
  /** Makes the default key of each team, in their order. */
  readonly issueKey: IssueKey;
  /** Makes the password of the demo's person; not called where somebody has her e-mail address already. */
  readonly issuePassword: IssuePassword;
}

/** What a workspace holds, each part after those that it refers to. */
const PARTS: readonly ((workspace: Filling) => Promise<void>)[] = [
  ...[insertContent, insertContacts, insertThemes, insertLandingPages, insertImages],
  ...[insertShipping, insertCatalog, insertOffers],
  ...[insertOrders, insertOrderTags, insertTransactions, insertFulfillments, insertVisits],
];

const SEED = 20_260_401;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 120_000;

/**
 * Seeds the demo data, unless the store holds a team. Apart from the secrets it is the same every time.
 * @returns null when there was a team already
 */
export async function seedDemo(
  store: Store,
  now: Date,
  secrets: DemoSecrets,
  makeUpAttempts: MakeUpAttempts,
): Promise<DemoSummary | null> {
  return withPrisma(store, (prisma) =>
    prisma.$transaction(
      async (tx) => {
        await tx.$executeRawUnsafe(LIFT_LIMITS);
        // Whoever else wants to add a team waits here, and then finds ours.
        await tx.$executeRaw`lock table teams in share row exclusive mode`;
        if ((await tx.team.findFirst({ select: { id: true } })) !== null) return null;
        await restartIds(tx);
        const random = createRandom(SEED);
        const daysAgo = (days: number) => new Date(now.getTime() - Math.floor(days * DAY_MS));
        const demo = { tx, random, daysAgo };
        const summary = await insertTeams(demo, secrets.issueKey, makeUpAttempts);
        await insertPerson(demo, summary.teamIds, secrets.issuePassword);
        return summary;
      },
      { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
    ),
  );
}

/** Without teams there is nothing at all, but people and what they granted: an earlier attempt that failed must not have used up the first ids. */
async function restartIds(tx: Transaction): Promise<void> {
  const tables = Object.keys(TYPE_NUMBER).filter((name) => !['users', 'oauth_grants'].includes(name));
  await tx.$executeRaw`select setval(pg_get_serial_sequence(name, 'id'), 1, false) from unnest(${tables}::text[]) as name`;
}

async function insertTeams(
  demo: Demo,
  issueKey: IssueKey,
  makeUpAttempts: MakeUpAttempts,
): Promise<DemoSummary> {
  const summary = { teamIds: [] as bigint[], workspaceIds: [] as bigint[], contacts: 0 };
  for (const team of TEAMS) {
    const teamId = await insertDemoTeam(demo, team, issueKey);
    summary.teamIds.push(teamId);
    for (const data of team.workspaces) {
      const workspace = await insertDemoWorkspace(demo, teamId, data);
      for (const insertPart of PARTS) await insertPart(workspace);
      await insertHistory(workspace, teamId, makeUpAttempts);
      summary.workspaceIds.push(workspace.workspaceId);
      summary.contacts += data.contacts.count;
    }
  }
  return summary;
}
