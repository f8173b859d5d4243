// What stands inside a row, as JSON or as a record, does not say whose it is, and no guard looks at it (src/store/tenancy/row-owners.ts): where it is put together
// every table is joined by its workspace. Shown with rows that no constraint would let in, which name what is another tenant's.
import { expect, test } from 'vitest';
import { createServer } from '../src/http/server.ts';
import * as factories from './support/factories.ts';
import { sharedGateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { createTenant } from './support/operations.ts';

const OTHER = 'OTHER-5c1d';

const gateway = await sharedGateway();
const ours = await createTenant(gateway.app, 'ours');
const other = await createTenant(gateway.app, OTHER);
const caller = await factories.apiKey(gateway.app, { teamId: ours.team.id });
const { rows } = await gateway.app.store.pool.query<{ id: string }>(
  'select id from pages where workspace_id = $1',
  [other.workspace.id],
);
await insertUnchecked(
  `insert into contact_tags (workspace_id, contact_id, tag_id) values
     (${ours.workspace.id}, ${ours.contact.id}, ${other.tag.id}),
     (${other.workspace.id}, ${ours.contact.id}, ${other.appliedTag.tagId})`,
  `insert into funnel_tags (workspace_id, funnel_id, tag_id) values
     (${ours.workspace.id}, ${ours.funnel.id}, ${other.tag.id}),
     (${other.workspace.id}, ${ours.funnel.id}, ${other.appliedTag.tagId})`,
  `update orders set contact_id = ${other.contact.id} where workspace_id = ${ours.workspace.id}`,
  `update order_line_items set variant_id = ${other.rows['Variant']?.id}, price_id = ${other.rows['Price']?.id},
    product_id = ${other.rows['Product']?.id} where workspace_id = ${ours.workspace.id}`,
  `update funnel_steps set funnel_id = ${ours.funnel.id} where workspace_id = ${other.workspace.id}`,
  `update funnel_steps set funnel_id = ${other.funnel.id} where id = (select max(id) from funnel_steps
    where workspace_id = ${ours.workspace.id} and funnel_id = ${ours.funnel.id} and kind = 'page')`,
  `update events set page_id = ${rows[0]?.id}, funnel_id = ${other.funnel.id} where workspace_id = ${ours.workspace.id}`,
);

/** Without the foreign keys. */
async function insertUnchecked(...statements: string[]): Promise<void> {
  const client = await gateway.app.store.pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    for (const statement of statements) expect((await client.query(statement)).rowCount).toBeGreaterThan(0);
    await client.query('reset session_replication_role');
  } finally {
    client.release();
  }
}

test.each([
  () => `/api/v2/workspaces/${ours.workspace.id}/contacts`,
  () => `/api/v2/contacts/${ours.contact.id}`,
  () => `/api/v2/workspaces/${ours.workspace.id}/funnels`,
  () => `/api/v2/contacts/${ours.contact.id}/applied_tags`,
  () => `/api/v2/webhooks/outgoing/events/${ours.webhookEvent.id}`,
  () => `/api/v2/workspaces/${ours.workspace.id}/orders`,
  () => `/api/v2/workspaces/${ours.workspace.id}/webhooks/outgoing/events`,
])('over REST nothing of another tenant is shown inside a row: %s', async (path) => {
  // A tag that is not there is nothing that is documented.
  const server = createServer(gateway.app);
  const headers = { Authorization: caller.authorization ?? '' };
  const response = await server.fetch(new Request(`http://localhost${path()}`, { headers }));
  expect(response.status).toBe(200);
  expect(await response.text()).not.toContain(OTHER);
});

test.each([
  'contacts(first: 5) { nodes { tags { nodes { name } } } }',
  'contacts(first: 5) { nodes { tags { nodes { name ... on ContactTag { createdAt } } } } }',
  'funnels(first: 5) { nodes { tags { nodes { name } } } }',
  'funnels(first: 5) { nodes { steps { name ... on ConditionalSplit { savedFilter { name } matched { name } unmatched { name } } } } }',
  'orders(first: 5) { nodes { contact { firstName } lineItems { variant { name } price { name } product { name } } } }',
  'webhookEvents(first: 5) { nodes { page { name } funnel { name } } }',
])('over GraphQL nothing of another tenant is shown inside a row: %s', async (list) => {
  const query = `query ($id: BigInt!) { workspace(by: { databaseId: $id }) { ${list} } }`;
  const answer = await post(gateway, { query, variables: { id: String(ours.workspace.id) } }, { caller });
  expect(JSON.stringify(answer)).not.toContain(OTHER);
  for (const { extensions } of answer.errors ?? []) expect(extensions.code).toBe('INTERNAL');
});
