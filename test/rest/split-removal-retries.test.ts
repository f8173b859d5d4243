// Removing a split is recorded, can be retried with its key, and succeeds only on the version in If-Match.
import { expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { ask, dataOf } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { type Built, build, readPlan } from '../support/removals.ts';

const REMOVE = graphql(`
  mutation RetryRemoval($input: RemoveConditionalSplitInput!) {
    removeConditionalSplit(input: $input) {
      removedConditionalSplitId
      funnel { id }
      promotedPages { id name currentPath createdAt }
      discardedPages { id name currentPath createdAt }
    }
  }
`);

const gateway = await ownGateway({ env: { POOL_SIZE: '10' } });
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

const make = () =>
  build(gateway, workspaceId, ['Entry', { split: 'Split', matched: ['M1', 'M2'], unmatched: ['U'] }]);

function remove({ funnel, step }: Built, headers: Record<string, string>, query = ''): Promise<Response> {
  const path = `/api/v2/funnels/${funnel.id}/conditional_split_steps/${step('Split').id}${query}`;
  return gateway.send(path, { caller, method: 'DELETE', headers });
}

const entriesOf = ({ step }: Built) =>
  prismaOf(gateway.app.store).auditEntry.findMany({
    where: { workspaceId, subjectType: 'ConditionalSplitStep', subjectId: step('Split').id },
  });

const inputOf = ({ step }: Built) => ({
  conditionalSplitId: btoa(`ConditionalSplit:${step('Split').id}`),
  branch: 'MATCHED' as const,
});

test('a removal is recorded with its actor, the split, and the result for each page', async () => {
  const built = await make();
  expect((await remove(built, {}, '?branch=matched')).status).toBe(204);
  const key = await prismaOf(gateway.app.store).apiKey.findUniqueOrThrow({ where: { id: caller.id } });
  const named = (name: string) => expect.objectContaining({ id: Number(built.step(name).pageId), name });
  const listed = (name: string) => expect.objectContaining({ id: Number(built.step(name).id), name });
  expect(await entriesOf(built)).toEqual([
    expect.objectContaining({
      action: 'conditional_split_step.removed',
      contactId: null,
      actorKind: 'api_key',
      actorId: key.publicId,
      clientId: null,
      before: {
        id: Number(built.step('Split').id),
        funnel_id: Number(built.funnel.id),
        public_id: built.step('Split').publicId,
        name: 'Split',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        discarded_branch: 'matched',
        promoted_pages: [named('U')],
        discarded_pages: [named('M1'), named('M2')],
        structure_before: ['Entry', 'Split', 'M1', 'M2', 'U'].map(listed),
        structure_after: ['Entry', 'U'].map(listed),
      },
      after: null,
    }),
  ]);
});

test('a retry over REST gets 204 again, and another request with the key is refused', async () => {
  const built = await make();
  const headers = { 'Idempotency-Key': 'once' };
  for (let attempt = 0; attempt < 3; attempt++) expect((await remove(built, headers)).status).toBe(204);
  expect(await entriesOf(built)).toHaveLength(1);
  await expectProblem(await remove(built, headers, '?branch=matched'), 'invalid');
  await expectProblem(await remove(built, { 'Idempotency-Key': 'another' }), 'not_found');
  await expectProblem(await remove(built, {}), 'not_found');
});

test('a retry over GraphQL gets the first answer, whatever has become of the pages since', async () => {
  const built = await make();
  const variables = { input: { ...inputOf(built), idempotencyKey: 'graphql' } };
  const first = await dataOf(gateway, REMOVE, variables, { caller });
  expect(first.removeConditionalSplit?.discardedPages?.map(({ name }) => name)).toEqual(['M1', 'M2']);
  expect(first.removeConditionalSplit?.promotedPages?.map(({ name }) => name)).toEqual(['U']);
  await prismaOf(gateway.app.store).page.updateMany({
    where: { workspaceId, id: built.step('U').pageId ?? 0n },
    data: { name: 'renamed' },
  });
  expect(await dataOf(gateway, REMOVE, variables, { caller })).toEqual(first);
  const other = { input: { ...variables.input, branch: 'UNMATCHED' as const } };
  const { errors } = await ask(gateway, REMOVE, other, { caller });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['INVALID']);
});

test('ten concurrent removals with one key remove once, and all get the first answer', async () => {
  const built = await make();
  const all = await Promise.all(
    Array.from({ length: 10 }, () => remove(built, { 'Idempotency-Key': 'at-once' })),
  );
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 204));
  expect(await entriesOf(built)).toHaveLength(1);
});

test('a key of a change of another split rolls the removal back completely', async () => {
  const [one, other] = [await make(), await make()];
  const send = (built: Built) =>
    ask(gateway, REMOVE, { input: { ...inputOf(built), idempotencyKey: 'two-splits' } }, { caller });
  const answers = await Promise.all([send(one), send(other)]);
  const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code);
  expect(codes.toSorted()).toEqual(['INVALID', undefined]);
  const lost = codes[0] === undefined ? other : one;
  expect(await readPlan(gateway, caller, lost)).toEqual([
    'Entry',
    { split: 'Split', matched: ['M1', 'M2'], unmatched: ['U'] },
  ]);
  expect(await entriesOf(lost)).toEqual([]);
});

test('If-Match permits the removal only of the version that was read', async () => {
  const built = await make();
  const path = `/api/v2/funnels/${built.funnel.id}/conditional_split_steps/${built.step('Split').id}`;
  const tag = (await gateway.send(path, { caller })).headers.get('etag') ?? '';
  await expectProblem(await remove(built, { 'If-Match': '"something-else"' }), 'precondition_failed');
  await prismaOf(gateway.app.store).page.updateMany({
    where: { workspaceId, id: built.step('M1').pageId ?? 0n },
    data: { name: 'changed since' },
  });
  await expectProblem(await remove(built, { 'If-Match': tag }), 'precondition_failed');
  expect(await entriesOf(built)).toEqual([]);
  const now = (await gateway.send(path, { caller })).headers.get('etag') ?? '';
  expect((await remove(built, { 'If-Match': now })).status).toBe(204);
});
