// Pages of a list with a saved filter, in the order of time.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await ownGateway();
const client = await createRestClient(gateway);
const { workspaceId, caller } = client;

interface Found {
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: { readonly hasPreviousPage: boolean; readonly endCursor: string };
}

test('nothing is before a page whose cursor has moved behind all others', async () => {
  const ids: bigint[] = [];
  for (const n of [1, 2, 3]) {
    const one = { workspaceId, firstName: 'Ann', emailAddress: `ann${n}@example.com` };
    ids.push((await factories.contact(gateway.app, one)).id);
  }
  const criteria = [{ attribute: 'first_name', clause: 'eq', value: 'Ann' }];
  const { body } = await client.send('POST', `/api/v2/workspaces/${workspaceId}/refine_filters`, {
    refine_filter: { name: 'Ann', filter_class: 'ContactsFilter', criteria },
  });
  const { id: filterId } = body as { readonly id: number };
  async function page(after: string | null): Promise<Found | undefined> {
    const query = `query ($after: String) { workspace(by: { databaseId: ${workspaceId} }) {
      contacts(savedFilterId: "${btoa(`SavedFilter:${filterId}`)}", first: 1, after: $after, orderBy: { field: UPDATED_AT, direction: ASC }) {
        nodes { databaseId } pageInfo { hasPreviousPage endCursor } } } }`;
    const variables = { after };
    const { data, errors } = await post<{ workspace: { contacts: Found } }>(
      gateway,
      { query, variables },
      { caller },
    );
    expect(errors).toBeUndefined();
    return data?.workspace.contacts;
  }
  const first = await page(null);
  expect(first?.pageInfo.hasPreviousPage).toBe(false);
  const changed = await client.send('PUT', `/api/v2/contacts/${ids[0]}`, { contact: { last_name: 'Lee' } });
  expect(changed.status).toBe(200);
  const next = await page(first?.pageInfo.endCursor ?? null);
  expect(next).toMatchObject({
    nodes: [{ databaseId: Number(ids[1]) }],
    pageInfo: { hasPreviousPage: false },
  });
});
