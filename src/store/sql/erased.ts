// What has been erased, as SQL. An erasure is recorded at once, and what was written of the contact until then is blanked in batches
// behind it (erasing.ts): whoever reads or sends something that may be personal asks for the record too.
import { contact } from '../../resources/contacts.ts';

/** The action of an erasure's audit entry. It holds nothing of the person and is never blanked: it says who has been erased. */
export const ERASED = `${contact.topic}.erased`;

/** The erasure of the contact that a row is of. @param workspace the row's workspace, where it is not inferred */
function erasureOf(alias: string, workspace: string): string {
  return `contact_erasures x where x.workspace_id = ${workspace} and x.contact_id = ${alias}.contact_id`;
}

/** Whether an event was written before its contact was erased. @param condition what else is asked of the erasure `x` */
export function isErasedEvent(
  alias: string,
  workspace = `${alias}.workspace_id`,
  condition = 'true',
): string {
  return `exists (select from ${erasureOf(alias, workspace)} and x.events_through >= ${alias}.id and ${condition})`;
}

const entryErasure = (alias: string, workspace = `${alias}.workspace_id`) =>
  `${erasureOf(alias, workspace)} and x.entries_through >= ${alias}.id and ${alias}.action <> '${ERASED}'`;

/** Whether an audit entry was written before its contact was erased. */
export function isErasedEntry(alias: string, workspace?: string): string {
  return `exists (select from ${entryErasure(alias, workspace)})`;
}

/** When what an audit entry held was erased; null where it was not. */
export function entryErasedAt(alias: string): string {
  return `coalesce(${alias}.erased_at, (select x.erased_at from ${entryErasure(alias)}))`;
}

/** A column of a row, null where it was erased. @param isErased of the functions above */
export function unlessErased(column: string, isErased: string): string {
  return `case when ${column} is not null and not ${isErased} then ${column} end`;
}
