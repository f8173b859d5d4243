// Ids in paths: the integer id or the public id; anything else gets 404, never a 500.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPublicId } from '../../src/store/sql/public-ids.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { sampleAt, times } from '../support/nightly.ts';
import { createTenant, type Tenant } from '../support/operations.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

type Noun = Exclude<keyof Tenant, never>;

/** Every path with an id in it: what goes where `ID` stands. */
const PATHS: [string, Noun][] = [
  ['/api/v2/teams/ID', 'team'],
  ['/api/v2/teams/ID/workspaces', 'team'],
  ['/api/v2/workspaces/ID', 'workspace'],
  ['/api/v2/workspaces/ID/contacts', 'workspace'],
  ['/api/v2/workspaces/ID/refine_filters', 'workspace'],
  ['/api/v2/workspaces/ID/refine_filters?after=0', 'workspace'],
  ['/api/v2/workspaces/ID/webhooks/outgoing/endpoints', 'workspace'],
  ['/api/v2/workspaces/ID/funnels', 'workspace'],
  ['/api/v2/contacts/ID', 'contact'],
  ['/api/v2/workspaces/ID/contacts/tags', 'workspace'],
  ['/api/v2/contacts/tags/ID', 'tag'],
  ['/api/v2/contacts/ID/applied_tags', 'contact'],
  ['/api/v2/contacts/applied_tags/ID', 'appliedTag'],
  ['/api/v2/workspaces/ID/audit_entries', 'workspace'],
  ['/api/v2/audit_entries/ID', 'auditEntry'],
  ['/api/v2/refine_filters/ID', 'refineFilter'],
  ['/api/v2/webhooks/outgoing/endpoints/ID', 'webhookEndpoint'],
  ['/api/v2/funnels/ID', 'funnel'],
  ['/api/v2/funnels/ID/structure', 'funnel'],
  ['/api/v2/funnels/ID/conditional_split_steps', 'funnel'],
  ['/api/v2/funnels/ID/conditional_split_steps/SPLIT', 'funnel'],
  ['/api/v2/funnels/FUNNEL/conditional_split_steps/ID', 'split'],
];

const RUBBISH = [
  '0',
  '-1',
  '1.0',
  '+1',
  '1e3',
  'abcde',
  'AbCdEf',
  'a'.repeat(65),
  'null',
  'undefined',
  '%',
  '%zz',
  '%ff',
]
  .concat([
    '%00',
    '%2F',
    '%20',
    '9223372036854775807',
    '9223372036854775808',
    '9'.repeat(200),
    "'",
    '*',
    ':id',
  ])
  .concat(['%C3%A9', '%F0%9F%98%80', '1%00', '1%20', '%E2%80%AE1', '$1', '1;', '1,2', 'AAAAAA%00', '٣']);

const gateway = await sharedGateway();
const ours = await createTenant(gateway.app, 'ours');
const theirs = await createTenant(gateway.app, 'theirs');
const caller = await factories.apiKey(gateway.app, { teamId: ours.team.id });

const fillIn = (path: string, id: unknown) =>
  path
    .replace('ID', String(id))
    .replace('SPLIT', String(ours.split.id))
    .replace('FUNNEL', String(ours.funnel.id));

describe.each(PATHS)('%s', (path, noun) => {
  test('the integer id and the public id give the same answer', async () => {
    const [byId, byPublicId] = await Promise.all(
      [ours[noun].id, ours[noun].publicId].map((id) => gateway.send(fillIn(path, id), { caller })),
    );
    expect(byId?.status).toBe(200);
    expect(await byPublicId?.text()).toBe(await byId?.text());
  });

  test("another team's integer id and public id get 404", async () => {
    for (const id of [theirs[noun].id, theirs[noun].publicId]) {
      await expectProblem(await gateway.send(fillIn(path, id), { caller }), 'not_found');
    }
  });

  test("another type's public id gets 404", async () => {
    const others = (Object.keys(ours) as Noun[]).filter((other) => other !== noun);
    for (const other of sampleAt(path, others, 4)) {
      await expectProblem(await gateway.send(fillIn(path, ours[other].publicId), { caller }), 'not_found');
    }
  });

  test('invalid text gets 404', async () => {
    for (const id of sampleAt(path, RUBBISH, 4)) {
      const problem = await expectProblem(await gateway.send(fillIn(path, id), { caller }), 'not_found');
      expect(problem.detail).not.toContain(id.length > 3 ? id : '\0');
    }
  });
});

test('a public id is case-sensitive', async () => {
  const swapped = [...ours.contact.publicId]
    .map((letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()))
    .join('');
  await expectProblem(await gateway.send(`/api/v2/contacts/${swapped}`, { caller }), 'not_found');
});

test('no path causes a 500', async () => {
  const segment = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc
      .string({ unit: fc.constantFrom(...'%0123456789abcdefABCDEF:*?{}'), maxLength: 20 })
      .map((text) => text.replaceAll('?', '')),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...PATHS), segment, async ([path], id) => {
      const { status } = await gateway.send(fillIn(path, id), { caller });
      expect(status).toBeLessThan(500);
    }),
    { numRuns: times(400), endOnFailure: true },
  );
});

test('a row with an id above 2^53 is found by it, and its id is exact in the answer', async () => {
  const id = 2n ** 53n + 1n;
  const publicId = toPublicId('contacts', id);
  await factories.contact(gateway.app, { id, workspaceId: ours.workspace.id });
  const byId = await gateway.send(`/api/v2/contacts/${id}`, { caller });
  expect(await byId.text()).toContain(`{"id":9007199254740993,"public_id":"${publicId}",`);
  const byPublicId = await gateway.send(`/api/v2/contacts/${publicId}`, { caller });
  expect((await json<{ public_id: string }>(byPublicId)).public_id).toBe(publicId);
  const list = await gateway.send(
    `/api/v2/workspaces/${ours.workspace.id}/contacts?sort_order=desc&per_page=1`,
    { caller },
  );
  expect(list.headers.get('Pagination-Next')).toBe('9007199254740993');
});
