// Every noun that there is. Tables, services, routes, types, events, audit, erasure, and the tests that try each noun are made from this
// list. A parent stands before what is below it; REST's manual has the nouns in this order.
import { apiKey } from './api-keys.ts';
import { appliedTag } from './applied-tags.ts';
import { auditEntry } from './audit-entries.ts';
import { contact } from './contacts.ts';
import { conditionalSplit } from './funnel-steps.ts';
import { funnel } from './funnels.ts';
import { oauthGrant } from './oauth-grants.ts';
import { page } from './pages.ts';
import { refineFilter } from './refine-filters.ts';
import type { Fields, IDS, Resource } from './resource.ts';
import { tag } from './tags.ts';
import { team } from './teams.ts';
import { user } from './users.ts';
import { webhookDelivery } from './webhook-deliveries.ts';
import { webhookEndpoint } from './webhook-endpoints.ts';
import { webhookEvent } from './webhook-events.ts';
import { workspace } from './workspaces.ts';

/** A noun with a table of its own, whose rows have public ids. */
interface Listed<Table extends string> extends Resource {
  readonly table: Table;
  readonly number: bigint;
}

/** Keeps the names of the tables. */
function list<const Table extends string>(nouns: readonly Listed<Table>[]): readonly Listed<Table>[] {
  return nouns;
}

export const NOUNS = list([
  team,
  user,
  workspace,
  contact,
  tag,
  appliedTag,
  funnel,
  conditionalSplit,
  refineFilter,
  webhookEndpoint,
  webhookEvent,
  webhookDelivery,
  auditEntry,
  page,
  apiKey,
  oauthGrant,
]);

/** A table that has public ids. */
export type NounTable = (typeof NOUNS)[number]['table'];

export type Noun = Listed<NounTable>;

/** A noun of the list as its description was written, so that the type of its rows can be inferred. */
export type Described = Resource<Fields & Pick<typeof IDS, 'id'>> & { readonly table: NounTable };
