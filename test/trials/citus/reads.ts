// Every kind of read that the gateway has of what is below a workspace, by hand, with the numbers of the bench's rows.

import type { PageRequest } from '../../../src/pagination.ts';
import { contact } from '../../../src/resources/contacts.ts';
import { conditionalSplit } from '../../../src/resources/funnel-steps.ts';
import { funnel } from '../../../src/resources/funnels.ts';
import { page } from '../../../src/resources/pages.ts';
import { refineFilter } from '../../../src/resources/refine-filters.ts';
import { webhookEndpoint } from '../../../src/resources/webhook-endpoints.ts';
import { workspace } from '../../../src/resources/workspaces.ts';
import { countUnder, existsUnder } from '../../../src/store/reading/counts.ts';
import { findSteps, findStepsAround } from '../../../src/store/reading/funnel-steps.ts';
import { findPagesUnder, findPageUnder } from '../../../src/store/reading/pages.ts';
import { findById, findByIds } from '../../../src/store/reading/rows.ts';
import type { Tenancy } from '../../../src/store/sql/tenancy.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Table } from '../../../src/store/tables/table.ts';
import { tableOf } from '../../../src/store/tables/tables.ts';

const CONTACTS = tableOf(contact);
const FUNNELS = tableOf(funnel);
const PAGES = tableOf(page);
const REFINE_FILTERS = tableOf(refineFilter);
const SPLITS = tableOf(conditionalSplit);
const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);
const WORKSPACES = tableOf(workspace);

export interface Read {
  readonly what: string;
  /** Each of its statements has to go to one shard: it is a page of one parent, or names one row. */
  readonly isOfOneShard: boolean;
  run(store: Store): Promise<unknown>;
}

type AnyTable = Table<{ id: bigint }>;
const LISTS: readonly (readonly [string, AnyTable])[] = [
  ['contacts', CONTACTS],
  ['funnels', FUNNELS],
  ['pages', PAGES],
  ['saved filters', REFINE_FILTERS],
  ['webhook endpoints', WEBHOOK_ENDPOINTS],
  ['conditional splits', SPLITS],
];

const FIRST: PageRequest = { order: 'asc', size: 20, after: null, before: null, backward: false };

/** @param funnelIds funnels of the team's, with their workflows */
export function readsOf(
  tenancy: Tenancy,
  workspaceIds: readonly bigint[],
  funnelIds: readonly bigint[],
): Read[] {
  const parentsOf = (table: AnyTable) => (table === SPLITS ? funnelIds : workspaceIds);
  const read = (what: string, run: Read['run'], isOfOneShard = false): Read => ({ what, run, isOfOneShard });
  const lists = LISTS.flatMap(([name, table]) => {
    const [parent = 0n] = parentsOf(table);
    const deep: PageRequest = { ...FIRST, order: 'desc', after: 200n };
    return [
      read(`page of ${name}`, (store) => findPageUnder({ store }, table, tenancy, parent, FIRST), true),
      read(
        `deep page of ${name}, descending`,
        (store) => findPageUnder({ store }, table, tenancy, parent, deep),
        true,
      ),
    ];
  });
  const [workspaceId = 0n] = workspaceIds;
  const [funnelId = 0n] = funnelIds;
  return [
    ...lists,
    read(
      'page of workspaces',
      (store) => findPageUnder({ store }, WORKSPACES, tenancy, tenancy.teamId, FIRST),
      true,
    ),
    read('pages of contacts of several workspaces', (store) =>
      findPagesUnder({ store }, CONTACTS, tenancy, workspaceIds, FIRST),
    ),
    read('count of contacts', (store) => countUnder({ store }, CONTACTS, tenancy, [workspaceId]), true),
    read('counts of contacts of several workspaces', (store) =>
      countUnder({ store }, CONTACTS, tenancy, workspaceIds),
    ),
    read('whether there are contacts above an id', (store) =>
      existsUnder({ store }, CONTACTS, tenancy, [workspaceId], { id: 5n, side: 'at_or_above' }),
    ),
    read('contact by id', (store) => findById({ store }, CONTACTS, tenancy, 1n), true),
    read('contacts by ids', (store) => findByIds({ store }, CONTACTS, tenancy, [1n, 2n, 3n])),
    read('split by id', (store) => findById({ store }, SPLITS, tenancy, 3n), true),
    read('steps of a funnel', (store) => findSteps({ store }, tenancy, [funnelId])),
    read('steps around a step', (store) => findStepsAround({ store }, tenancy, [3n])),
  ];
}
