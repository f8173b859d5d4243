// The deliveries of deleted endpoints are removed, and nothing else (src/store/cleaning/cleaning.ts).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOrphanedDeliveries } from '../../src/store/cleaning/cleaning.ts';
import { eraseContact } from '../../src/store/erasure/contact-erasure.ts';
import { recordOutcomes } from '../../src/store/webhooks/delivery-outcomes.ts';
import { blankAll } from '../support/blanking.ts';
import { webhookEndpoint, workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

const DAY_MS = 86_400_000;

/** An event from this many days ago, of contact 7, with its delivery and an attempt. */
async function record(workspaceId: bigint, endpointId: bigint, daysAgo: number, status = 'delivered') {
  const prisma = prismaOf(gateway.app.store);
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  const subject = { eventType: 'contact.created', subjectType: 'Contact', subjectId: 7n, contactId: 7n };
  const event = await prisma.event.create({ data: { workspaceId, ...subject, data: {}, createdAt: at } });
  const delivery = await prisma.webhookDelivery.create({
    data: {
      ...{ workspaceId, endpointId, eventId: event.id, eventType: 'contact.created', createdAt: at, status },
      ...(status === 'delivered' ? { deliveredAt: at, nextAttemptAt: null } : { nextAttemptAt: at }),
    },
  });
  await prisma.webhookAttempt.create({
    data: {
      ...{
        workspaceId,
        deliveryId: delivery.id,
        number: 1,
        startedAt: at,
        durationMs: 1,
        url: 'https://a.example',
      },
      ...{ requestHeaders: {}, responseCode: 200, responseStart: 'Ann was here' },
    },
  });
  return delivery;
}

test('deliveries of an endpoint that was deleted go; those of others stay', async () => {
  const { store } = gateway.app;
  const { id: workspaceId } = await workspace(gateway.app);
  const [gone, kept] = [
    await webhookEndpoint(gateway.app, { workspaceId }),
    await webhookEndpoint(gateway.app, { workspaceId }),
  ];
  for (const { id } of [gone, kept, gone]) await record(workspaceId, id, 0);
  await prismaOf(store).webhookEndpoint.delete({ where: { workspaceId_id: { workspaceId, id: gone.id } } });
  await deleteOrphanedDeliveries(store, 100);
  expect(await prismaOf(store).webhookDelivery.findMany({ where: { workspaceId } })).toMatchObject([
    { endpointId: kept.id },
  ]);
});

test('the erasure of a contact blanks answers, cancels pending deliveries, and discards late answers', async () => {
  const { store } = gateway.app;
  const prisma = prismaOf(store);
  const { id: workspaceId } = await workspace(gateway.app);
  const { id: endpointId } = await webhookEndpoint(gateway.app, { workspaceId });
  await record(workspaceId, endpointId, 0);
  const pending = await record(workspaceId, endpointId, 0, 'pending');
  await eraseContact(prisma, workspaceId, 7n, null);
  await blankAll(gateway.app);
  const attempts = () => prisma.webhookAttempt.findMany({ where: { workspaceId } });
  expect((await attempts()).map(({ responseStart }) => responseStart)).toEqual([null, null]);
  const [, canceled] = await prisma.webhookDelivery.findMany({
    where: { workspaceId },
    orderBy: { id: 'asc' },
  });
  expect(canceled).toMatchObject({ id: pending.id, status: 'canceled', nextAttemptAt: null });
  await recordOutcomes(store, [
    {
      ...{ workspaceId, endpointId, deliveryId: pending.id, deliveryCreatedAt: pending.createdAt, number: 2 },
      ...{
        startedAt: new Date(),
        durationMs: 1,
        url: 'https://a.example',
        requestHeaders: {},
        code: 500,
        error: null,
      },
      ...{ responseStart: 'Ann again', status: 'pending', waitMs: 1_000 },
    },
  ]);
  expect((await attempts()).map(({ responseStart }) => responseStart)).toEqual([null, null, null]);
  expect(await prisma.webhookDelivery.findMany({ where: { workspaceId, id: pending.id } })).toMatchObject([
    { status: 'canceled', attemptCount: 2 },
  ]);
});
