// Erasing a contact removes all personal data, and keeps the history.
import { beforeAll, expect, test } from 'vitest';
import { wayToContact } from '../../src/resources/contact-ways.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import * as contacts from '../../src/services/contacts/contacts.ts';
import { eraseContact } from '../../src/store/erasure/contact-erasure.ts';
import { blankAll } from '../support/blanking.ts';
import * as factories from '../support/factories.ts';
import { type Gateway, sharedGateway } from '../support/gateway.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { prismaOf } from '../support/prisma.ts';
import { contextOf, keyOf } from '../support/service-context.ts';

const NO_OPTIONS = { idempotencyKey: null, precondition: null };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await sharedGateway();
});

/** A contact with every possible input, created, changed and tagged; all of it contains the marker. */
async function contactWith(marker: string, on?: { teamId: bigint; workspaceId: bigint }) {
  const { app } = gateway;
  const teamId = on?.teamId ?? (await factories.team(app)).id;
  const workspaceId = on?.workspaceId ?? (await factories.workspace(app, { teamId })).id;
  const tag = await factories.tag(app, workspaceId, `tag of ${marker}`);
  const ctx = contextOf(app, keyOf(teamId));
  const input = (members: object) => ({ members, nameOf: (name: string) => name });
  const { row } = await contacts.create(
    ctx,
    workspaceId,
    input({
      emailAddress: `${marker}@example.com`,
      firstName: marker,
      lastName: marker,
      phoneNumber: marker,
      timeZone: marker,
      fbUrl: marker,
      twitterUrl: marker,
      instagramUrl: marker,
      linkedinUrl: marker,
      websiteUrl: marker,
      customAttributes: { [marker]: marker },
      tagIds: [tag.id],
    }),
    NO_OPTIONS,
  );
  const id = row?.id ?? 0n;
  await contacts.update(ctx, id, input({ firstName: `${marker} again` }), NO_OPTIONS);
  return { ctx, id, teamId, workspaceId, tagId: tag.id };
}

/** Every row of the store that contains a text, without tags. */
async function rowsWith(text: string): Promise<string[]> {
  const { pool } = gateway.app.store;
  const tables = ['contacts', 'contact_tags', 'audit_entries', 'events', 'idempotency_records'];
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await pool.query(`select from ${table} t where t::text like $1`, [`%${text}%`]);
      return rows.map(() => table);
    }),
  );
  return found.flat();
}

async function erase({ workspaceId, id }: { workspaceId: bigint; id: bigint }): Promise<void> {
  await prismaOf(gateway.app.store).$transaction((tx) => eraseContact(tx, workspaceId, id, null));
  await blankAll(gateway.app);
}

const entriesOf = ({ workspaceId, id }: { workspaceId: bigint; id: bigint }) =>
  prismaOf(gateway.app.store).auditEntry.findMany({
    where: { workspaceId, contactId: id },
    orderBy: { id: 'asc' },
  });

test('no row contains personal data, and the row, its ids and its history stay', async () => {
  const erased = await contactWith('erasedperson');
  const prisma = prismaOf(gateway.app.store);
  const where = { workspaceId_id: { workspaceId: erased.workspaceId, id: erased.id } };
  const before = await prisma.contact.update({
    where,
    data: {
      unsubscribedAt: new Date(),
      lastNotificationEmailSentAt: new Date(),
      emailSuppressionReason: 'erasedperson',
    },
  });
  expect(new Set(await rowsWith('erasedperson'))).toEqual(new Set(['contacts', 'audit_entries', 'events']));
  await erase(erased);
  expect(await rowsWith('erasedperson')).toEqual([]);
  const after = await prisma.contact.findUniqueOrThrow({ where, include: { appliedTags: true } });
  const { id, publicId, workspaceId, uuid, createdAt, rowVersion, updatedAt } = before;
  expect(after).toEqual({
    ...Object.fromEntries(Object.keys(before).map((name) => [name, null])),
    ...{ id, publicId, workspaceId, uuid, createdAt },
    anonymous: true,
    customAttributes: {},
    appliedTags: [],
    rowVersion: rowVersion + 1,
    updatedAt: after.updatedAt,
  });
  expect(after.updatedAt.getTime()).toBeGreaterThan(updatedAt.getTime());
  const entries = await entriesOf(erased);
  expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
    ['contact.created', null, null],
    ['contact.updated', null, null],
  ]);
  expect(entries.every(({ erasedAt, actorId }) => erasedAt !== null && actorId === 'AKeyId')).toBe(true);
});

test('every reference to contacts in the store has a way to them', async () => {
  const { rows } = await gateway.app.store.pool.query<{ name: string }>(
    `select conrelid::regclass::text as name from pg_constraint where contype = 'f' and confrelid = 'contacts'::regclass`,
  );
  expect(rows.length).toBeGreaterThan(0);
  const leading = NOUNS.filter((noun) => wayToContact(noun) !== null).map(({ table }) => table);
  // Visits are not a noun: test/rest/visits.test.ts erases them.
  expect([...leading, 'contact_visits']).toEqual(expect.arrayContaining(rows.map(({ name }) => name)));
});

test('nobody else in the workspace is blanked', async () => {
  const other = await contactWith('otherperson');
  const counts = async () => (await rowsWith('otherperson')).toSorted();
  const erased = await contactWith('erasedtoo', other);
  const before = await counts();
  expect(before.length).toBeGreaterThan(4);
  await erase(erased);
  expect(await counts()).toEqual(before);
});

test('a deleted contact can be erased', async () => {
  const erased = await contactWith('deletedperson');
  await contacts.remove(erased.ctx, erased.id, NO_OPTIONS);
  expect(new Set(await rowsWith('deletedperson'))).toEqual(new Set(['audit_entries', 'events']));
  await erase(erased);
  expect(await rowsWith('deletedperson')).toEqual([]);
  expect((await entriesOf(erased)).map(({ action }) => action)).toEqual([
    'contact.created',
    'contact.updated',
    'contact.deleted',
  ]);
});

test('a change in progress during the erasure of its contact is blanked too', async () => {
  const erased = await contactWith('raced');
  const { pool } = gateway.app.store;
  const client = await pool.connect();
  try {
    // The contact is locked, so that the erasure has started before the other change is recorded.
    await client.query('begin');
    await client.query('select from contacts where workspace_id = $1 and id = $2 for update', [
      erased.workspaceId,
      erased.id,
    ]);
    const erasing = erase(erased);
    await untilWaiting(gateway.app, 1);
    await client.query(
      `insert into audit_entries (workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, request_id, after)
        values ($1, 'contact.updated', 'Contact', $2, $2, 'api_key', 'x', 'y', '{"first_name":"raced late"}')`,
      [erased.workspaceId, erased.id],
    );
    await client.query('commit');
    await erasing;
  } finally {
    client.release();
  }
  expect(await rowsWith('raced late')).toEqual([]);
});
