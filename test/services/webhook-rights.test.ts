// A subscription has the present rights of its subscriber, not those at its creation.
import { expect, test } from 'vitest';
import { TEST_EVENT_TYPE } from '../../src/resources/event-types.ts';
import { mayReceive } from '../../src/services/webhooks/webhook-rights.ts';
import type { Subscription } from '../../src/store/webhooks/webhook-backing.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);

const may = (subscription: Partial<Subscription>, eventTypeId = 'contact.created') =>
  mayReceive(
    gateway.app,
    { workspaceId, actorKind: null, actorId: null, clientId: null, ...subscription },
    eventTypeId,
  );

test('a key must be valid, of the team of the workspace, and have the scope', async () => {
  const prisma = prismaOf(gateway.app.store);
  const key = await factories.apiKey(gateway.app, { teamId, scopes: ['contacts:read'] });
  const { publicId: actorId } = await prisma.apiKey.findUniqueOrThrow({ where: { id: key.id } });
  const subscription = { actorKind: 'api_key', actorId } as const;
  expect(await may(subscription)).toBe(true);
  expect(await may(subscription, 'order.created')).toBe(false);
  // What is in no catalogue is for nobody; a test says nothing that the subscriber does not know.
  expect(await may(subscription, 'contact.unheard_of')).toBe(false);
  expect(await may(subscription, TEST_EVENT_TYPE)).toBe(true);
  const elsewhere = await factories.workspace(gateway.app);
  expect(await may({ ...subscription, workspaceId: elsewhere.id })).toBe(false);
  for (const data of [{ expiresAt: new Date(0) }, { expiresAt: null, revokedAt: new Date(0) }]) {
    await prisma.apiKey.update({ where: { id: key.id }, data: { createdAt: new Date(-1), ...data } });
    expect(await may(subscription)).toBe(false);
  }
});

test('an endpoint of the operator has no subscriber, and continues', async () => {
  expect(await may({})).toBe(true);
});

test('a grant must be active, of a member of the team who may grant the scope, and reach the workspace', async () => {
  const prisma = prismaOf(gateway.app.store);
  const user = await factories.user(gateway.app, { teamId, role: 'owner' });
  const client = await prisma.oauthClient.create({ data: { id: 'app', name: 'App', metadata: {} } });
  const subscription = { actorKind: 'oauth', actorId: user.publicId, clientId: client.id } as const;
  expect(await may(subscription)).toBe(false);
  const { id } = await prisma.oauthGrant.create({
    data: {
      ...{ key: 'g', userId: user.id, clientId: client.id, teamId, scopes: ['contacts:read'] },
      ...{ payload: {}, expiresAt: new Date(Date.now() + 3_600_000) },
    },
  });
  expect([await may(subscription), await may(subscription, 'order.created')]).toEqual([true, false]);
  const change = async (data: object) => {
    await prisma.oauthGrant.update({ where: { id }, data });
    return may(subscription);
  };
  const other = await factories.workspace(gateway.app, { teamId });
  expect(await change({ wholeTeam: false, workspaceIds: [other.id] })).toBe(false);
  expect(await change({ wholeTeam: false, workspaceIds: [workspaceId] })).toBe(true);
  expect(await change({ expiresAt: new Date(0) })).toBe(false);
  expect(await change({ expiresAt: new Date(Date.now() + 3_600_000) })).toBe(true);
  await prisma.oauthClient.update({ where: { id: client.id }, data: { disabledAt: new Date() } });
  expect(await may(subscription)).toBe(false);
  await prisma.oauthClient.update({ where: { id: client.id }, data: { disabledAt: null } });
  await prisma.teamMember.deleteMany({ where: { userId: user.id, teamId } });
  expect(await may(subscription)).toBe(false);
});

test('a client that acts for itself has the scopes of its registration', async () => {
  const prisma = prismaOf(gateway.app.store);
  const client = await prisma.oauthClient.create({
    data: { id: 'robot', name: 'Robot', teamId, metadata: { scope: 'contacts:read webhooks:write' } },
  });
  const subscription = { actorKind: 'oauth', actorId: client.id, clientId: client.id } as const;
  expect([await may(subscription), await may(subscription, 'order.created')]).toEqual([true, false]);
  await prisma.oauthClient.update({ where: { id: client.id }, data: { disabledAt: new Date() } });
  expect(await may(subscription)).toBe(false);
});
