// `npm run test:citus`: tests of the store, the services and what both faces show of them, over a store that is distributed over a coordinator
// and two workers of Citus. Apart from `npm test`, since they need Citus (test/trials/citus/store.ts says how it is found or built).
import { defineConfig } from 'vitest/config';
import { resolve } from '../../vitest.config.ts';

/** Parts of the names of tests that are left out, and why they are about one PostgreSQL. */
const LEFT_OUT: readonly (readonly [reason: string, ...names: string[]])[] = [
  [
    'a trigger on a shard can announce nothing on the coordinator: changes take their times there (draw_time)',
    'every table that is listed by the time of changes takes these times announced',
  ],
  [
    'they put triggers on tables that take long, or hold locks on one node: Citus takes none on distributed ones by itself',
    'a deadline that strikes',
    'is 409 where that takes too long; afterwards it is answered as the first was',
  ],
  [
    'what a worker undoes at its commit is answered with 503, and nothing is changed; Citus ends a deadlock by rules of its own',
    'is tried again after \\w+ at its commit',
    'a change in a deadlock still succeeds',
  ],
  [
    'of those that wait for a contact the first one has its turn, a change before the deletion behind it, so that it is 200',
    'a change whose contact is removed while it waits for its turn is 404',
  ],
  [
    'it locks workspaces, which are on every node: locked on one, they hold up nobody on another',
    'while another transaction holds what it locks',
  ],
  [
    'it disables a trigger of a table that is on every node, which Citus refuses',
    'stays with the workspace that had it before it was reserved',
  ],
  [
    'a team without a workspace has rows on no node, and is as one that its key may not see: 404',
    'of one without a workspace is refused, for nothing could record it',
  ],
  [
    'their invoice is written by the test itself, and without triggers its order has no status before the change',
    'orders/(:order_id/)?invoices(/:id)?(: the same key| changes nothing of another)',
  ],
  ['with Citus they go with their partition', 'deliveries of an endpoint that was deleted go'],
  [
    'they need PostgreSQL 17 (transaction_timeout; the locale that knows all spaces)',
    '.{1,3}李　小龙',
    'transactions of the gateway.s connections are bounded by PostgreSQL itself',
  ],
  [
    'they count statements: with Citus there is one for each workspace, or for each step of a change',
    'one statement each',
    'in as many statements for many as for one',
    'takes? (at most )?five statements',
    'a full funnel takes no more statements',
    'the tree of a funnel is read once in an operation',
    'the pages of a list are counted together',
    'the paths through many funnels are found together',
    'an empty list by a known filter with \\w+ is read once',
  ],
];

const INCLUDED = [
  'test/citus/*.on-citus.ts',
  // Every noun's whole life.
  'test/rest/{contacts,contact-changes,contact-changes-at-once,conditional-changes}.test.ts',
  'test/rest/{funnels,refine-filters,teams,users,workspaces,registry,entity-tags}.test.ts',
  'test/rest/{webhook-endpoints,webhook-endpoint-changes,webhook-deliveries,webhook-missed}.test.ts',
  'test/graphql/{api-keys,connections,nodes,viewer,conditional-splits,unread-parents}.test.ts',
  'test/graphql/mutations/*.test.ts',
  'test/{contacts-model,parity,parity-changes}.test.ts',
  'test/services/{custom-attributes,names,violations,write-options,webhook-rights,webhook-urls}.test.ts',
  'test/store/{changes,email-key,ids,public-ids,projections,rows,tags,unentered-changes}.test.ts',
  // The shop.
  'test/rest/{products,shipping,fulfillments,fulfillment-locations,images}.test.ts',
  'test/{rest,graphql}/orders/*.test.ts',
  'test/{orders-model,orders-money-model}.test.ts',
  'test/jobs/image-fetcher.test.ts',
  'test/rest/price-terms.test.ts',
  'test/services/tagged-products.test.ts',
  // Whose rows they are.
  'test/{tenancy,access-matrix,write-alone}.test.ts',
  'test/store/row-owners.test.ts',
  // Lists and walks.
  'test/rest/{walks,walk-deletions,list-filters,link,page-parameters}.test.ts',
  'test/rest/{more-filters,time-filters,null-members}.test.ts',
  'test/graphql/list-filters.test.ts',
  'test/store/{settled,settled-changes,settled-marks,selections}.test.ts',
  'test/jobs/list-watch.test.ts',
  // The workflow.
  'test/services/workflow.test.ts',
  'test/rest/{conditional-splits,split-removal,split-removal-at-once,split-removal-retries,split-removal-traces}.test.ts',
  'test/rest/{pages,workflow-changes,split-decisions,split-test-decisions}.test.ts',
  'test/graphql/workflow-model.test.ts',
  // Saved filters, and the lists that they select.
  'test/rest/{refine-filter-changes,refined-lists}.test.ts',
  'test/store/demo-rows.test.ts',
  // Visits, and the sums of them by the hour.
  'test/rest/{visits,page-stats}.test.ts',
  'test/visits-model.test.ts',
  // What changes nothing, and what is deleted.
  'test/rest/{applied-tags,unchanged,unchanged-retries}.test.ts',
  'test/services/{erasures,erased-rows}.test.ts',
  'test/jobs/erased-events.test.ts',
  'test/services/operator/users.test.ts',
  // Idempotency, audit, erasure, and rows that are too old.
  'test/rest/{idempotency,audit-entries,contact-erasure}.test.ts',
  'test/graphql/audit.test.ts',
  'test/store/{contact-erasure,delivery-cleaning}.test.ts',
  'test/services/{cleaning,partitions}.test.ts',
  'test/jobs/partition-keeper.test.ts',
  // Delivery.
  'test/jobs/{deactivation,delivery-worker,ended-meanwhile,payload,retries,verdicts,wake-ups}.test.ts',
  'test/store/{change-listener,job-queue}.test.ts',
  // Who asks.
  'test/auth/{authenticate,hosts,lookups,token-revocation,tokens}.test.ts',
  'test/oauth/{code-flow,clients,sessions,account}.test.ts',
  'test/store/oauth-grants.test.ts',
];

export default defineConfig({
  resolve,
  test: {
    testNamePattern: new RegExp(`^(?!.*(?:${LEFT_OUT.flatMap(([, ...names]) => names).join('|')}))`),
    globalSetup: ['test/citus/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'shared modules', include: INCLUDED, isolate: false } },
      { extends: true, test: { name: 'own modules', include: ['test/made-up-children.test.ts'] } },
    ],
  },
});
