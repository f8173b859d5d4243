// Puts the demo teams into an empty store: all of them in one transaction, and once however many processes try.

import { LIFT_LIMITS } from '../connections/time-limits.ts';
import { createRandom } from '../seed/random.ts';
import { type Store, type Transaction, withPrisma } from '../store.ts';
import { insertContacts } from './contacts.ts';
import { insertContent } from './content.ts';
import { TEAMS } from './data/teams.ts';
import type { Demo } from './demo.ts';
import { insertFulfillments } from './fulfillments.ts';
import { insertHistory } from './history.ts';
import { insertOrderTags } from './images.ts';
import { insertTransactions } from './orders/order-transactions.ts';
import { insertOrders } from './orders/orders.ts';
import {
  type IssueKey,
  type IssuePassword,
  insertDemoTeam,
  insertDemoWorkspace,
  insertPerson,
} from './owners.ts';
import { insertOffers } from './pages.ts';
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

/** Without teams there is nothing at all, but people: an earlier attempt that failed must not have used up the first ids. */
async function restartIds(tx: Transaction): Promise<void> {
  await tx.$executeRaw`
    select setval(pg_get_serial_sequence(name, 'id'), 1, false)
    from unnest(array['teams', 'workspaces', 'custom_domains', 'contacts', 'tags', 'refine_filters', 'webhook_endpoints',
      'funnels', 'pages', 'funnel_steps', 'api_keys', 'images', 'stores', 'order_tags', 'order_applied_tags', 'fulfillment_locations', 'shipping_packages', 'shipping_profiles',
      'shipping_location_groups', 'shipping_zones', 'shipping_rates', 'shipping_rate_names', 'fulfillments',
      'fulfillment_line_items', 'products', 'variant_properties', 'product_variants', 'product_prices', 'product_tags',
      'product_collections', 'funnel_labels', 'sites', 'themes', 'styles', 'orders', 'order_line_items', 'order_invoices', 'order_invoice_line_items',
      'events', 'webhook_deliveries', 'audit_entries']) as name`;
}

async function insertTeams(
  demo: Demo,
  issueKey: IssueKey,
  makeUpAttempts: MakeUpAttempts,
): Promise<DemoSummary> {
  const teamIds: bigint[] = [];
  const workspaceIds: bigint[] = [];
  let contacts = 0;
  for (const team of TEAMS) {
    const teamId = await insertDemoTeam(demo, team, issueKey);
    teamIds.push(teamId);
    for (const data of team.workspaces) {
      const workspace = await insertDemoWorkspace(demo, teamId, data);
      const tagIds = await insertContent(demo, workspace, data);
      await insertContacts(demo, workspace.id, data, tagIds);
      if (data.shipping !== undefined) await insertShipping(demo, workspace.id, data.shipping);
      if (data.catalog !== undefined) {
        const productIds = await insertCatalog(demo, workspace.id, data.catalog);
        await insertOffers(demo, workspace.id, data.offers ?? {}, productIds);
      }
      await insertOrders(demo, workspace.id, data.visits?.sales);
      await insertOrderTags(demo, workspace.id, data.orderTags ?? {});
      await insertTransactions(demo, workspace.id);
      await insertFulfillments(demo, workspace.id);
      if (data.visits !== undefined) await insertVisits(demo, workspace.id, data.visits);
      if (data.history !== undefined)
        await insertHistory(demo, { teamId, workspaceId: workspace.id }, data.history, makeUpAttempts);
      workspaceIds.push(workspace.id);
      contacts += data.contacts.count;
    }
  }
  return { teamIds, workspaceIds, contacts };
}
