// The SQL that finds the contact whose personal data a row may hold (resources/contact-ways.ts).
import { wayToContact } from '../../resources/contact-ways.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';

/**
 * SQL of the id of the row's contact; null if it has none.
 * @param row the alias of the row
 * @param workspace SQL of the workspace, which is the same for all rows on the way to the contact
 */
export function contactIdOf(noun: Resource, row = 't', workspace = `${row}.workspace_id`): string {
  const way = wayToContact(noun);
  if (way === null) return 'null::bigint';
  if (way === 'itself') return `${row}.id`;
  const named = `${row}.${toSnakeCase(way.key)}`;
  if (wayToContact(way.to) === 'itself') return named;
  const above = `${row}p`;
  return `(select ${contactIdOf(way.to, above, workspace)} from ${way.to.table} ${above}
    where ${above}.workspace_id = ${workspace} and ${above}.id = ${named})`;
}

/**
 * The condition that a row belongs to a contact, for searches that start from the contact. @param workspace and @param contact SQL of their
 * ids
 */
export function leadsToContact(noun: Resource, row: string, workspace: string, contact: string): string {
  const way = wayToContact(noun);
  if (way === null) return 'false';
  if (way === 'itself') return `${row}.id = ${contact}`;
  const named = `${row}.${toSnakeCase(way.key)}`;
  if (wayToContact(way.to) === 'itself') return `${named} = ${contact}`;
  const above = `${row}p`;
  return `${named} in (select ${above}.id from ${way.to.table} ${above}
    where ${above}.workspace_id = ${workspace} and ${leadsToContact(way.to, above, workspace, contact)})`;
}
