// The SQL that is specific to broadcasts: creating one with its recipients, and what it copies from its template.
import { notFound } from '../../errors.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import { emailBroadcastRecipient } from '../../resources/emails/email-broadcasts.ts';
import { EMAIL_TEXTS } from '../../resources/emails/email-templates.ts';
import type { Executor } from '../connections/executor.ts';
import { ROW_WORKSPACE } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { emailBroadcastRecipientTable, emailBroadcastTable } from '../tables/emails.ts';
import { ownedWorkspace } from '../tables/table.ts';
import { tableOf } from '../tables/tables.ts';
import { type Changed, execute } from './changes.ts';
import type { ColumnValues } from './children.ts';
import { insertContact } from './contacts.ts';
import { insertionOf } from './insert-row.ts';
import { insertRows } from './insert-rows.ts';
import { creationRecords } from './other-rows.ts';
import { type ChangeOrigin, type ChangeRecord, timeOf } from './records.ts';
import { type ChangeRules, Refused } from './rules.ts';
import { withSql } from './transactions.ts';

const BROADCASTS = tableOf(emailBroadcastTable);
const RECIPIENTS = tableOf(emailBroadcastRecipientTable);

/** The columns that a broadcast copies from its template. */
const COPIED = Object.keys(EMAIL_TEXTS).map(toSnakeCase);

/** A text that a change leaves alone becomes that of a new template. */
const copyOf = (column: string) => ({
  onCreate: `coalesce(n.${column}, $template_${column}::text)`,
  onUpdate: `case when n.template_id is distinct from o.template_id and n.${column} is not distinct from o.${column}
    then coalesce((select e.${column} from email_templates e where e.workspace_id = ${ROW_WORKSPACE} and e.id = n.template_id), n.${column})
    else n.${column} end`,
});

const nameOf = (workspace: string, address: string) =>
  `(select a.name from email_addresses a where a.workspace_id = ${workspace} and lower(a.email_address) = lower(${address}))`;

export const EMAIL_BROADCAST_RULES: ChangeRules = {
  derived: {
    ...Object.fromEntries(COPIED.map((column) => [column, copyOf(column)])),
    from_name: { onCreate: '$from_name::text', onUpdate: nameOf(ROW_WORKSPACE, 'n.from_email') },
  },
  others: {
    nouns: [],
    async before(tx, { workspaceId, given }) {
      await requireFilterOfContacts(tx, workspaceId, given?.columns['filter_id']);
      return [];
    },
  },
};

/** The class of the saved filters that select contacts. */
const OF_CONTACTS = 'ContactsFilter';

/** @throws Refused for a saved filter that selects other objects than contacts. A foreign key refuses one that does not exist. */
async function requireFilterOfContacts(tx: Executor, workspaceId: bigint, id: unknown): Promise<void> {
  if (id == null) return;
  const [filter] = await tx.$queryRawUnsafe<{ class: string }[]>(
    'select f.filter_class as class from refine_filters f where f.workspace_id = $1::bigint and f.id = $2::bigint',
    ...[workspaceId, id],
  );
  if (filter !== undefined && filter.class !== OF_CONTACTS)
    throw new Refused('filterId', {
      code: 'not_allowed',
      message: 'must be a saved filter that selects contacts',
    });
}

/** Values for the parameters of a new row's derived columns: the texts of the template, and the name of the sender. */
async function parametersOf(
  tx: Executor,
  workspaceId: bigint,
  { template_id: templateId = null, from_email: fromEmail = null }: ColumnValues['columns'],
): Promise<Readonly<Record<string, unknown>>> {
  const [[template = {}], [sender]] = await Promise.all([
    tx.$queryRawUnsafe<Record<string, string | null>[]>(
      `select ${COPIED.map((column) => `e.${column}`).join(', ')} from email_templates e
        where e.workspace_id = $1::bigint and e.id = $2::bigint`,
      ...[workspaceId, templateId],
    ),
    tx.$queryRawUnsafe<{ name: string | null }[]>(
      `select ${nameOf('$1::bigint', '$2::text')} as name`,
      ...[workspaceId, fromEmail],
    ),
  ]);
  const texts = COPIED.map((column) => [`template_${column}`, template[column] ?? null]);
  return { ...Object.fromEntries(texts), from_name: sender?.name ?? null };
}

/** A recipient of a client's broadcast. */
interface RequestedRecipient {
  /** The contact with the address, or the columns of one to create. */
  readonly contact: bigint | ColumnValues;
  readonly emailAddress: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** A client's broadcast. */
export interface RequestedBroadcast {
  readonly workspaceId: bigint;
  readonly values: ColumnValues;
  readonly recipients: readonly RequestedRecipient[];
}

const insertBroadcast = insertionOf(BROADCASTS, EMAIL_BROADCAST_RULES);

/**
 * Creates a broadcast with its recipients, and contacts for those that are new.
 * @returns null: the idempotency key was claimed before
 * @throws AppError `not_found` if the caller does not own the workspace; Refused; as `execute`
 */
export function createBroadcast(
  ctx: StoreContext,
  recorded: ChangeOrigin,
  wanted: RequestedBroadcast,
): Promise<Changed | null> {
  return execute(ctx, recorded, withSql, (tx, tenancy) => makeBroadcast(tx, tenancy, wanted));
}

async function makeBroadcast(
  tx: Executor,
  tenancy: Tenancy,
  { workspaceId, values, recipients }: RequestedBroadcast,
): Promise<ChangeRecord> {
  const [workspace] = await tx.$queryRawUnsafe<{ owned: boolean | null }[]>(
    `select ${ownedWorkspace('$1::bigint', '$2::bigint', '$3::bigint[]')} as owned`,
    ...[workspaceId, tenancy.teamId, tenancy.workspaceIds],
  );
  if (workspace?.owned !== true) throw notFound('Workspace');
  await requireFilterOfContacts(tx, workspaceId, values.columns['filter_id']);
  const people: ChangeRecord[] = [];
  const contactIds: bigint[] = [];
  for (const { contact } of recipients) {
    if (typeof contact !== 'bigint') people.push(await insertContact(tx, workspaceId, contact));
    contactIds.push(typeof contact === 'bigint' ? contact : (people.at(-1)?.subjectId ?? 0n));
  }
  const parameters = await parametersOf(tx, workspaceId, values.columns);
  const broadcast = await insertBroadcast(tx, workspaceId, values, parameters);
  const added = await insertRecipients(tx, workspaceId, broadcast.subjectId, recipients, contactIds);
  return {
    ...broadcast,
    events: [...people.flatMap(({ events }) => events), ...broadcast.events],
    children: [...people, ...added],
    rows: people.length + added.length,
  };
}

async function insertRecipients(
  tx: Executor,
  workspaceId: bigint,
  broadcastId: bigint,
  recipients: readonly RequestedRecipient[],
  contactIds: readonly bigint[],
): Promise<ChangeRecord[]> {
  if (recipients.length === 0) return [];
  const now = await timeOf(tx, RECIPIENTS);
  const inserted = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into ${emailBroadcastRecipient.table}
      (workspace_id, broadcast_id, contact_id, email_address, first_name, last_name, created_at)`,
    workspaceId,
    types: ['bigint', 'bigint', 'text', 'text', 'text', 'timestamptz'],
    rows: recipients.map(({ emailAddress, firstName, lastName }, index) => [
      ...[broadcastId, contactIds[index], emailAddress, firstName, lastName, now],
    ]),
    returning: 'id',
  });
  return creationRecords(
    ...([tx, RECIPIENTS, workspaceId] as const),
    inserted.map(({ id }) => id),
  );
}
