// Nobody gets another team's data from a list, by an id in a body, or by a change (access-matrix.test.ts tests access itself).
import { beforeEach, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../src/errors.ts';
import * as factories from './support/factories.ts';
import { type Caller, ownGateway } from './support/gateway.ts';
import { CHANGEABLE, digest } from './support/hostile.ts';
import {
  createTenant,
  OPERATIONS,
  type Operation,
  requestOf,
  sampleOperations,
  type Tenant,
  UNSAFE,
} from './support/operations.ts';
import { prismaOf } from './support/prisma.ts';
import { expectProblem } from './support/problem.ts';

const MARKERS = { ours: 'OURS-7c1f', sibling: 'SIBLING-b02e', theirs: 'THEIRS-5d9a' };

const gateway = await ownGateway();
const { app } = gateway;
const ours = await createTenant(app, MARKERS.ours);
/** Another workspace of the same team. */
const sibling = await createTenant(app, MARKERS.sibling, ours.team.id);
const theirs = await createTenant(app, MARKERS.theirs);
const keys = {
  good: await factories.apiKey(app, { teamId: ours.team.id }),
  theirs: await factories.apiKey(app, { teamId: theirs.team.id }),
};

let before: Record<string, unknown>;

const run = (operation: Operation, tenant: Tenant, caller: Caller) =>
  gateway.send(operation.path(tenant), { caller, ...requestOf(operation, tenant) });

/** The refusal, which contains no rows and has changed nothing. */
async function expectRefused(response: Response, code: ErrorCode, ...hidden: Tenant[]): Promise<void> {
  const text = JSON.stringify(await expectProblem(response, code));
  for (const marker of Object.values(MARKERS)) expect(text).not.toContain(marker);
  for (const { workspace, contact } of hidden) {
    expect(text).not.toContain(workspace.publicId);
    expect(text).not.toContain(contact.publicId);
  }
  expect(await digest(gateway, CHANGEABLE)).toEqual(before);
}

test('each key sees its own team and nothing of the other in any list', async () => {
  const lists = OPERATIONS.filter(({ isList }) => isList);
  expect(lists.length).toBeGreaterThan(9);
  for (const list of lists) {
    const mine = await (await run(list, ours, keys.good)).text();
    const yours = await (await run(list, theirs, keys.theirs)).text();
    expect([list.route, mine.includes(MARKERS.theirs), yours.includes(MARKERS.ours)]).toEqual([
      list.route,
      false,
      false,
    ]);
    expect([mine, yours].every((text) => text.length > 2)).toBe(true);
  }
});

describe('references in a body or at the end of a path are limited to the workspace', () => {
  beforeEach(async () => {
    before = await digest(gateway, CHANGEABLE);
  });
  const tagOf: Record<string, (tenant: Tenant) => bigint> = {
    "another team's": () => theirs.tag.id,
    'another workspace of the team': () => sibling.tag.id,
    'one that never was': () => 999_999n,
  };

  test.each(Object.keys(tagOf))('a tag of %s cannot be applied, in any way', async (kind) => {
    const tagId = String(tagOf[kind]?.(theirs));
    const contacts = `/api/v2/workspaces/${ours.workspace.id}/contacts`;
    const wishes = [
      ['POST', `/api/v2/contacts/${ours.contact.id}/applied_tags`, { tag_id: tagId }],
      ['POST', contacts, { tag_ids: [tagId] }],
      ['POST', `${contacts}/upsert`, { email_address: 'new@example.com', tag_ids: [tagId] }],
      ['PUT', `/api/v2/contacts/${ours.contact.id}`, { first_name: 'x', tag_ids: [tagId] }],
      ['PATCH', `/api/v2/contacts/${ours.contact.id}`, { tag_ids: [ours.tag.id.toString(), tagId] }],
    ] as const;
    for (const [method, path, body] of wishes) {
      const headers = {
        'Content-Type': 'application/json',
        'Idempotency-Key': `tag ${tagId}`.replace(' ', '-'),
      };
      const request = { caller: keys.good, method, headers, body: JSON.stringify(body) };
      await expectRefused(await gateway.send(path, request), 'invalid', theirs, sibling);
    }
    const end = `/api/v2/contacts/${ours.contact.id}/applied_tags/${tagId}`;
    await expectRefused(
      await gateway.send(end, { caller: keys.good, method: 'DELETE' }),
      'not_found',
      theirs,
    );
  });

  test('a workspace, a team and ids in a body do not move the contact', async () => {
    const contact = await factories.contact(gateway.app, { workspaceId: ours.workspace.id });
    const body = JSON.stringify({
      contact: {
        ...{ id: Number(theirs.contact.id), public_id: theirs.contact.publicId },
        ...{ workspace_id: Number(theirs.workspace.id), team_id: Number(theirs.team.id), first_name: 'Same' },
      },
    });
    const headers = { 'Content-Type': 'application/json' };
    const path = `/api/v2/contacts/${contact.id}`;
    const response = await gateway.send(path, { caller: keys.good, method: 'PUT', headers, body });
    expect(await response.json()).toMatchObject({
      ...{ id: Number(contact.id), public_id: contact.publicId },
      ...{ workspace_id: Number(ours.workspace.id), first_name: 'Same' },
    });
    const other = await prismaOf(gateway.app.store).contact.findFirst({ where: { id: theirs.contact.id } });
    expect(other?.firstName).toBe(`${MARKERS.theirs} contact`);
  });
});

describe('a change of one tenant', () => {
  // Each leaves the other's rows as they were, so that one other does for all.
  test.each(sampleOperations('changed', UNSAFE))('$route changes nothing of another', async (operation) => {
    const mine = await createTenant(gateway.app, 'mine');
    const untouched = await digest(gateway, CHANGEABLE, theirs.team.id);
    const caller = await factories.apiKey(gateway.app, { teamId: mine.team.id });
    expect((await run(operation, mine, caller)).status).toBe(operation.success);
    expect(await digest(gateway, CHANGEABLE, theirs.team.id)).toEqual(untouched);
    const own = await prismaOf(gateway.app.store).auditEntry.count({
      where: { workspaceId: mine.workspace.id },
    });
    expect(own - 1).toBe(operation.entries ?? 1);
  });
});
