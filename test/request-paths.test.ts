// How many files of src/ a request runs through. Whoever follows a request has to open them, so a budget rises only with a reason in the
// commit.
import { afterAll, expect, test } from 'vitest';
import { compareTexts } from '../src/store/sql/statements.ts';
import { executedFiles, TIMES } from './support/executed-files.ts';
import { sharedGateway } from './support/gateway.ts';
import { build } from './support/removals.ts';
import { createRestClient } from './support/rest-client.ts';

const gateway = await sharedGateway();
const { contacts, workspaceId, create, send } = await createRestClient(gateway);
const workspace = `/api/v2/workspaces/${workspaceId}`;

// As in service: a text is built once.
compareTexts(false);
afterAll(() => compareTexts(true));

async function succeed(method: string, path: string, body?: object) {
  const answer = await send(method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

/** Runs the request, and fails with the files on its path if they are more than the budget. */
async function expectAtMost(budget: number, request: () => Promise<unknown>) {
  const files = await executedFiles(request);
  expect(
    files.length,
    `${files.length} files instead of ${budget}:\n${files.join('\n')}`,
  ).toBeLessThanOrEqual(budget);
}

test('a page of contacts', async () => {
  const { body: first } = await create();
  await create();
  await expectAtMost(62, () => succeed('GET', `${contacts}?after=${first.id}`));
});

test('createContact', () => expectAtMost(79, create));

test('removeConditionalSplit', async () => {
  const plan = ['Entry', { split: 'Split', matched: ['Left'], unmatched: ['Right'] }];
  const paths = await Promise.all(
    Array.from({ length: TIMES }, async () => {
      const { funnel, step } = await build(gateway, workspaceId, plan);
      return `/api/v2/funnels/${funnel.id}/conditional_split_steps/${step('Split').id}?branch=matched`;
    }),
  );
  await expectAtMost(76, () => succeed('DELETE', paths.pop() ?? ''));
});

test('createOrder', async () => {
  const { body: contact } = await create();
  const product = await succeed('POST', `${workspace}/products`, { product: { name: 'Jacket' } });
  const price = await succeed('POST', `/api/v2/products/${product.id}/prices`, {
    products_price: { amount: '129.90', currency: 'EUR' },
  });
  const order = {
    order_type: 'one-time-order',
    live_mode: true,
    contact_id: contact.id,
    line_items_attributes: [
      { variant_id: product['default_variant_id'], products_price_id: price.id, quantity: 1 },
    ],
  };
  await expectAtMost(92, () => succeed('POST', `${workspace}/orders`, { order }));
});
