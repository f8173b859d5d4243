// The rows of an erased contact that are blanked or deleted in batches, according to the descriptions of nouns. Deleted and blanked rows
// are not found again, so the work can continue after a crash.
import { isBelowContact } from '../../resources/contact-ways.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Noun } from '../../resources/nouns.ts';
import { ORIGIN } from '../../resources/visits.ts';
import { timeOf, versionColumns } from '../changing/records.ts';
import { contactVisitorHash } from '../changing/visits.ts';
import type { Executor } from '../connections/executor.ts';
import { leadsToContact } from '../sql/contact-ways.ts';
import {
  areFewBelowContact,
  blankingOf,
  isBlankedByErasure,
  isOlder,
  PERSONAL_SINCE,
} from '../sql/personal-data.ts';

/** The contact, and when it was erased. */
interface Erased {
  readonly workspaceId: bigint;
  readonly contactId: bigint;
  readonly erasedAt: string;
}

/** One kind of rows. */
export interface ErasedRows {
  readonly batch: number;
  /** Finds ids of rows of the workspace `$1` and the contact `$2` that are older than the time `$3`: at most `$4`. */
  readonly find: string;
  /** Blanks or deletes rows. */
  erase(tx: Executor, erased: Erased, ids: readonly bigint[]): PromiseLike<unknown>;
}

const ROW_BATCH = 250;

/** Blanks rows that refer to a contact, parents first; deletes rows below it, children first, if a contact may have many of them. */
export function erasedRows(nouns: readonly Noun[]): readonly ErasedRows[] {
  const blanked = nouns.filter(isBlankedByErasure).map(blankedRows);
  const deleted = nouns.filter((noun) => isBelowContact(noun) && !areFewBelowContact(noun)).toReversed();
  return [...blanked, ...deleted.map(deletedRows)];
}

/** Locking a row waits for a change of it that is in progress. The time is drawn last: lists wait for it. */
function blankedRows(noun: Noun): ErasedRows {
  const { table, fields } = noun;
  const isTimed = 'updatedAt' in fields;
  const isOld = `(c.${PERSONAL_SINCE} is null or c.${PERSONAL_SINCE} < $3::timestamptz)`;
  const rows = 'c.workspace_id = $1::bigint and c.id = any($2::bigint[])';
  const set = [
    ...blankingOf(noun),
    `${PERSONAL_SINCE} = $3::timestamptz`,
    ...(isTimed ? [versionColumns('$4')] : []),
  ];
  return {
    batch: ROW_BATCH,
    find: `select c.id from ${table} c where c.workspace_id = $1::bigint
      and ${leadsToContact(noun, 'c', '$1::bigint', '$2::bigint')} and ${isOld} limit $4::int`,
    async erase(tx, { workspaceId, erasedAt }, ids) {
      await tx.$queryRawUnsafe(
        `select c.id from ${table} c where ${rows} order by c.id for update of c`,
        ...[workspaceId, ids],
      );
      const time = isTimed ? [await timeOf(tx, { name: table, resource: noun })] : [];
      await tx.$executeRawUnsafe(
        `update ${table} c set ${set.join(', ')} where ${rows} and ${isOld}`,
        ...[workspaceId, ids, erasedAt, ...time],
      );
    },
  };
}

function deletedRows(noun: Noun): ErasedRows {
  const { table } = noun;
  return {
    batch: ROW_BATCH,
    find: `select c.id from ${table} c where c.workspace_id = $1::bigint
      and ${leadsToContact(noun, 'c', '$1::bigint', '$2::bigint')} and $3::timestamptz is not null
      and ${isOlder(noun, 'c', '$1::bigint', '$3::timestamptz')} limit $4::int`,
    erase: (tx, { workspaceId }, ids) =>
      tx.$executeRawUnsafe(
        `delete from ${table} c where c.workspace_id = $1::bigint and c.id = any($2::bigint[])`,
        ...[workspaceId, ids],
      ),
  };
}

const VISIT_BATCH = 5_000;
const VISIT = 'v.workspace_id, v.page_id, v.uuid, v.created_at';
const BLANK_VISITS = `update visits v set ${['contactId', ...Object.keys(ORIGIN)].map((property) => `${toSnakeCase(property)} = null`).join(', ')}
  where v.workspace_id = $1::bigint and (${VISIT}) in (select ${VISIT} from visits v
    where v.workspace_id = $1::bigint and v.contact_id = $2::bigint limit ${VISIT_BATCH})`;

/** Makes a batch of the contact's visits anonymous: statistics still count them. @returns whether there may be more */
export async function blankVisits(tx: Executor, { workspaceId, contactId }: Erased): Promise<boolean> {
  const blanked = await tx.$executeRawUnsafe(BLANK_VISITS, workspaceId, contactId);
  return blanked === VISIT_BATCH;
}

/** Takes the pages as an array, so that each is looked up in the primary key, which begins with the page. */
const FORGET_VISITOR = `delete from page_visitors v where v.workspace_id = $1::bigint and v.visitor = $2::uuid
  and v.page_id = any(array(select p.id from pages p where p.workspace_id = $1::bigint
    union all select d.page_id from deleted_pages d where d.workspace_id = $1::bigint))`;

/** Deletes the records of the pages that the contact has visited. */
export async function forgetVisitor(tx: Executor, { workspaceId, contactId }: Erased): Promise<boolean> {
  await tx.$executeRawUnsafe(FORGET_VISITOR, workspaceId, contactVisitorHash(contactId));
  return false;
}
