// A split test chooses a contact's variant by a stable hash of contact and step, in the proportion of the weights.
import { expect, test } from 'vitest';
import { variantFor } from '../../src/services/funnels/split-decisions.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';

const CONTACTS = 100_000;
/** Four standard deviations of the number of contacts on the left: one run of some 16,000 would be beyond. */
const toleranceOf = (share: number) => 4 * Math.sqrt(CONTACTS * share * (1 - share));
const leftOf = (id: bigint, leftWeight: number) =>
  Array.from(
    { length: CONTACTS },
    (_, index) => variantFor({ id, leftWeight }, BigInt(index + 1)) === 'left',
  );
const count = (those: readonly boolean[]) => those.filter(Boolean).length;

test.each([0, 1, 30, 50, 99, 100])('of 100,000 contacts, %i in 100 get the left variant', (weight) => {
  const share = weight / 100;
  const left = count(leftOf(7n, weight));
  expect(Math.abs(left - CONTACTS * share)).toBeLessThanOrEqual(toleranceOf(share));
});

test('two tests choose independently, and a greater weight moves nobody away from the left', () => {
  const [one, other, more] = [leftOf(7n, 50), leftOf(8n, 50), leftOf(7n, 60)];
  const both = count(one.map((isLeft, index) => isLeft && other[index] === true));
  expect(Math.abs(both - CONTACTS / 4)).toBeLessThanOrEqual(toleranceOf(1 / 4));
  expect(one.every((isLeft, index) => !isLeft || more[index])).toBe(true);
});

test('the path of a contact goes through its variant, and nested tests, the same each time', async () => {
  const gateway = await sharedGateway();
  const { app } = gateway;
  const { id: workspaceId, teamId } = await factories.workspace(app);
  const caller = await factories.apiKey(app, { teamId });
  const funnel = await factories.funnel(app, { workspaceId });
  const steps = await factories.workflow(app, funnel, [
    'Entry',
    { split: 'S', matched: ['M'], unmatched: ['U'] },
    'End',
  ]);
  const split = steps.get('S')?.id ?? 0n;
  // Of the matched branch, on which nobody is, and of the top level.
  await factories.splitTest(app, funnel, split, ['never', 'nobody']);
  const top = await factories.splitTest(app, funnel, null, ['left', 'right']);
  const query =
    'query ($f: ID!, $c: ID!) { node(id: $f) { ... on Funnel { pagesFor(contactId: $c) { name } } } }';
  const contacts = await factories.contacts(app, workspaceId, 12);
  for (const id of [...contacts, ...contacts]) {
    const variables = { f: btoa(`Funnel:${funnel.id}`), c: btoa(`Contact:${id}`) };
    const { data } = await post<{ node: { pagesFor: { name: string }[] } }>(
      gateway,
      { query, variables },
      { caller },
    );
    const variant = variantFor(top, id);
    expect(data?.node.pagesFor.map(({ name }) => name)).toEqual(['Entry', 'U', 'End', variant]);
  }
});
