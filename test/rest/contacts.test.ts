import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

const read = async (id: bigint) => json(await gateway.send(`/api/v2/contacts/${id}`, { caller }));

test('a contact has all its fields', async () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const texts = {
    firstName: 'Jöhn',
    lastName: '李 "x" \\ \u2028',
    phoneNumber: '+18005550199',
    timeZone: 'Madrid',
    fbUrl: 'https://fb.example/j',
    twitterUrl: 'https://t.example/j',
    instagramUrl: 'https://i.example/j',
    linkedinUrl: 'https://l.example/j',
    websiteUrl: 'https://w.example/j',
    emailSuppressionReason: 'bounced',
  };
  const contact = await factories.contact(gateway.app, {
    ...texts,
    workspaceId,
    emailAddress: 'John@Example.com',
    unsubscribedAt: at,
    lastNotificationEmailSentAt: at,
    customAttributes: { favourite_colour: 'blue', empty: '' },
    createdAt: at,
  });
  const tags = [
    await factories.tag(gateway.app, workspaceId, 'VIP'),
    await factories.tag(gateway.app, workspaceId, 'New'),
  ];
  const applied = tags.map((tag) => ({ workspaceId, contactId: contact.id, tagId: tag.id, appliedAt: at }));
  await prismaOf(gateway.app.store).contactTag.createMany({ data: applied });
  expect(await read(contact.id)).toEqual({
    id: Number(contact.id),
    public_id: contact.publicId,
    workspace_id: Number(workspaceId),
    uuid: contact.uuid,
    anonymous: 0,
    email_address: 'John@Example.com',
    first_name: texts.firstName,
    last_name: texts.lastName,
    phone_number: texts.phoneNumber,
    time_zone: texts.timeZone,
    unsubscribed_at: '2026-01-02T03:04:05.678Z',
    last_notification_email_sent_at: '2026-01-02T03:04:05.678Z',
    email_suppression_reason: 'bounced',
    is_active: false,
    fb_url: texts.fbUrl,
    twitter_url: texts.twitterUrl,
    instagram_url: texts.instagramUrl,
    linkedin_url: texts.linkedinUrl,
    website_url: texts.websiteUrl,
    created_at: '2026-01-02T03:04:05.678Z',
    updated_at: contact.updatedAt.toISOString(),
    tags: tags.map((tag) => ({
      id: Number(tag.id),
      public_id: tag.publicId,
      name: tag.name,
      color: '#336699',
      applied_at: '2026-01-02T03:04:05.678Z',
    })),
    custom_attributes: { favourite_colour: 'blue', empty: '' },
    visits: { first_visit: null, last_visit: null, last_visit_with_utm: null },
  });
});

test('the list has the same object as the contact itself', async () => {
  const list = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts?per_page=100`, { caller });
  for (const contact of await json<{ id: number }[]>(list)) {
    expect(await read(BigInt(contact.id))).toEqual(contact);
  }
});

test('an anonymous contact has no e-mail address and is not active', async () => {
  const contact = await factories.contact(gateway.app, { workspaceId, anonymous: true, emailAddress: null });
  expect(await read(contact.id)).toMatchObject({
    anonymous: 1,
    email_address: null,
    is_active: false,
    tags: [],
  });
});

test.each([
  [{}, true],
  [{ unsubscribedAt: new Date() }, false],
  [{ emailSuppressionReason: 'complaint' }, false],
  [{ emailAddress: null }, false],
])('a contact with %j is active: %s', async (overrides, active) => {
  const contact = await factories.contact(gateway.app, { workspaceId, ...overrides });
  expect(await read(contact.id)).toMatchObject({ is_active: active });
});
