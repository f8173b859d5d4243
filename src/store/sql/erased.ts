// SQL that hides erased data. An erasure is recorded at once, and the contact's data is blanked in batches afterwards (erasing.ts). So a
// statement that reads or sends possibly personal data must check the record too.
import { contact } from '../../resources/contacts.ts';

/** The action of an erasure's audit entry. The entry has no personal data and is never blanked, since it is the record of the erasure. */
export const ERASED = `${contact.topic}.erased`;

/** The erasure of a row's contact. @param workspace SQL of the row's workspace; absent: it is read from the row */
function erasureOf(alias: string, workspace: string): string {
  return `contact_erasures x where x.workspace_id = ${workspace} and x.contact_id = ${alias}.contact_id`;
}

/**
 * Whether an event was written before its contact was erased. `offset 0` forces an index look-up of the erasure for each event.
 * @param condition a further condition on the erasure `x`
 */
export function isErasedEvent(
  alias: string,
  workspace = `${alias}.workspace_id`,
  condition = 'true',
): string {
  return `exists (select from ${erasureOf(alias, workspace)} and x.events_through >= ${alias}.id and ${condition} offset 0)`;
}

const entryErasure = (alias: string, workspace = `${alias}.workspace_id`) =>
  `${erasureOf(alias, workspace)} and x.entries_through >= ${alias}.id and ${alias}.action <> '${ERASED}'`;

/** Whether an audit entry was written before its contact was erased. */
export function isErasedEntry(alias: string, workspace?: string): string {
  return `exists (select from ${entryErasure(alias, workspace)})`;
}

/** When an audit entry's data was erased; null if it was not. */
export function entryErasedAt(alias: string, workspace?: string): string {
  return `coalesce(${alias}.erased_at, (select x.erased_at from ${entryErasure(alias, workspace)}))`;
}

/** A column of a row; null if the row was erased. @param isErased one of the conditions above */
export function unlessErased(column: string, isErased: string): string {
  return `case when ${column} is not null and not ${isErased} then ${column} end`;
}
