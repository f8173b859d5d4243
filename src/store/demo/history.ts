// What was changed lately in a workspace of the demo, with the records that changes leave. The workspace's endpoints were told of it, and
// then deactivated.
import { randomBytes } from 'node:crypto';
import { appliedTag } from '../../resources/applied-tags.ts';
import { contact } from '../../resources/contacts.ts';
import { tag } from '../../resources/tags.ts';
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import { changeRow } from '../changing/change-row.ts';
import { CONTACT_RULES } from '../changing/contacts.ts';
import { isNotified, versionColumns } from '../changing/records.ts';
import type { ChangeRules } from '../changing/rules.ts';
import { findSnapshotsById } from '../changing/snapshots.ts';
import type { Executor } from '../connections/executor.ts';
import { createRandom } from '../seed/random.ts';
import { appliedTagTable } from '../tables/applied-tags.ts';
import { contactTable } from '../tables/contacts.ts';
import type { Table } from '../tables/table.ts';
import { tableOf } from '../tables/tables.ts';
import type { HistoryData } from './fixture.ts';
import { type MakeUpAttempts, type PastChanges, recordAt, recordAttempts } from './past-records.ts';

const SEED = 20_261_128;
const DAY_MS = 86_400_000;
/** A contact is changed so long after it was created; the others: so many days ago. */
const CHANGED_AFTER_MS = DAY_MS / 8;
const AGE_DAYS = { recolored: 1.5, deactivated: 1 };

const [CONTACTS, APPLIED_TAGS] = [tableOf(contactTable), tableOf(appliedTagTable)];
const [TAGS, WEBHOOK_ENDPOINTS] = [tableOf(tag), tableOf(webhookEndpoint)];

/** A workspace that gets its history. */
interface HistoryPlace {
  readonly teamId: bigint;
  readonly workspaceId: bigint;
  /** The id of the tag that got its colour lately. */
  readonly recoloredId: bigint;
  readonly start: Date;
}

/** Makes the changes, with the key of the team, the oldest first. */
export async function insertHistory(
  steps: Executor,
  { teamId, workspaceId, recoloredId, start }: HistoryPlace,
  history: HistoryData,
  makeUpAttempts: MakeUpAttempts,
): Promise<void> {
  const [key] = await steps.$queryRawUnsafe<{ publicId: string }[]>(
    'select public_id as "publicId" from api_keys where team_id = $1::bigint and is_default',
    teamId,
  );
  if (key === undefined) throw new TypeError('The team has no default key');
  const by = { team: teamId, workspaces: null, actor_kind: 'api_key', actor_id: key.publicId } as const;
  const past: PastChanges = {
    ...{ steps, workspaceId, random: createRandom(SEED) },
    by: { ...by, client_id: null, key_hash: null, request_hash: null },
  };
  const daysAgo = (days: number) => new Date(start.getTime() - days * DAY_MS);
  await activate(past);
  const contacts = await steps.$queryRawUnsafe<{ id: bigint; createdAt: Date }[]>(
    `select id, created_at as "createdAt" from contacts where workspace_id = $1::bigint and not anonymous
      order by id desc limit $2::int`,
    ...[workspaceId, history.contacts],
  );
  for (const { id, createdAt } of contacts.toReversed()) await createContact(past, id, createdAt);
  const [youngest] = contacts;
  if (youngest !== undefined) {
    const { id, createdAt } = youngest;
    const at = new Date(createdAt.getTime() + CHANGED_AFTER_MS);
    const row = { table: CONTACTS, rules: CONTACT_RULES, id, contactId: id };
    await change(past, at, row, history.given);
  }
  const row = { table: TAGS, rules: {}, id: recoloredId, contactId: null };
  await change(past, daysAgo(AGE_DAYS.recolored), row, { color: history.recolored.color });
  await recordAttempts(past, history, makeUpAttempts);
  await deactivate(past, daysAgo(AGE_DAYS.deactivated));
}

/** Has a contact that is there be as it was created, with its tags. */
async function createContact(past: PastChanges, id: bigint, at: Date): Promise<void> {
  const { steps, workspaceId } = past;
  await steps.$executeRawUnsafe(
    `update contacts set updated_at = $3::timestamptz, last_notification_email_sent_at = null
      where workspace_id = $1::bigint and id = $2::bigint`,
    ...[workspaceId, id, at.toISOString()],
  );
  await steps.$executeRawUnsafe(
    'update contact_tags set applied_at = $3::timestamptz where workspace_id = $1::bigint and contact_id = $2::bigint',
    ...[workspaceId, id, at.toISOString()],
  );
  const applied = await steps.$queryRawUnsafe<{ id: bigint }[]>(
    'select id from contact_tags where workspace_id = $1::bigint and contact_id = $2::bigint order by id',
    ...[workspaceId, id],
  );
  const appliedIds = applied.map((row) => row.id);
  const tags = await findSnapshotsById(steps, APPLIED_TAGS, workspaceId, appliedIds);
  const after = await snapshotOf(past, CONTACTS, id);
  const about = { resource: contact, subjectId: id };
  await recordAt(past, at, {
    ...{ ...about, contactId: id, action: 'created', outcome: 'created', before: null, after },
    events: [
      ...['created', 'identified'].map((name) => ({ ...about, name, data: after })),
      ...[...tags].map(([subjectId, data]) => ({ resource: appliedTag, name: 'created', subjectId, data })),
    ],
  });
}

interface ChangedRow {
  readonly table: Table<{ id: bigint }>;
  readonly rules: ChangeRules;
  readonly id: bigint;
  readonly contactId: bigint | null;
}

async function change(
  past: PastChanges,
  at: Date,
  { table, rules, id, contactId }: ChangedRow,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const { steps, workspaceId } = past;
  const row = { workspaceId, id, now: at.toISOString(), given: JSON.stringify(given) };
  const { before } = await changeRow(steps, table, rules, row);
  const after = await snapshotOf(past, table, id);
  const about = { resource: table.resource, subjectId: id };
  await recordAt(past, at, {
    ...{ ...about, contactId, action: 'updated', outcome: 'updated', before, after },
    events: isNotified(table.resource, 'updated') ? [{ ...about, name: 'updated', data: after }] : [],
  });
}

/** Has the endpoints be active while changes are recorded: with a secret, as all that are, which nobody knows and nobody keeps. */
async function activate({ steps, workspaceId }: PastChanges): Promise<void> {
  await steps.$executeRawUnsafe(
    `update webhook_endpoints set deactivated_at = null, deactivation_reason = null, secret = $2::bytea, secret_changed_at = created_at
      where workspace_id = $1::bigint`,
    ...[workspaceId, randomBytes(32)],
  );
}

/** Deactivates the endpoints: nothing leaves the machine of somebody who tries the gateway out. */
async function deactivate(past: PastChanges, at: Date): Promise<void> {
  const { steps, workspaceId } = past;
  const endpoints = await steps.$queryRawUnsafe<{ id: bigint }[]>(
    'select id from webhook_endpoints where workspace_id = $1::bigint order by id',
    workspaceId,
  );
  for (const { id } of endpoints) {
    const before = await snapshotOf(past, WEBHOOK_ENDPOINTS, id);
    await steps.$executeRawUnsafe(
      `update webhook_endpoints c set deactivated_at = $3::timestamptz, deactivation_reason = 'requested', secret = null, secret_changed_at = null,
        ${versionColumns('$3')}
        where c.workspace_id = $1::bigint and c.id = $2::bigint`,
      ...[workspaceId, id, at.toISOString()],
    );
    const after = await snapshotOf(past, WEBHOOK_ENDPOINTS, id);
    const about = { resource: webhookEndpoint, subjectId: id, contactId: null, before, after };
    await recordAt(past, at, { ...about, action: 'deactivated', outcome: 'updated', events: [] });
  }
}

async function snapshotOf(
  { steps, workspaceId }: PastChanges,
  table: Table<{ id: bigint }>,
  id: bigint,
): Promise<string> {
  const found = (await findSnapshotsById(steps, table, workspaceId, [id])).get(id);
  if (found === undefined) throw new TypeError('The row is not there');
  return found;
}
