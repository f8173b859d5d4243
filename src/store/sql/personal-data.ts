// SQL that hides and blanks the personal data of erased contacts in rows. An erasure is recorded at once, and the rows of the contact are
// blanked in batches afterwards (store/erasure/erasing.ts). Until then a row is hidden: reads show its personal fields blank, and a row
// below a contact is not visible.
import { isBelowContact, wayToContact } from '../../resources/contact-ways.ts';
import { typeOf } from '../../resources/description/field-types.ts';
import type { Field } from '../../resources/description/fields.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { type Columns, sqlOf } from '../../rows/columns.ts';
import { contactIdOf } from './contact-ways.ts';
import { ROW_WORKSPACE } from './statements.ts';

/** The column with the time since which a row can hold personal data: when it was created, or last blanked. */
export const PERSONAL_SINCE = 'personal_since';

/** The erasure `x` of the contact of a row that is not blanked yet. */
function pendingErasure(noun: Resource, row: string, workspace: string): string {
  return `x.workspace_id = ${workspace} and x.contact_id = ${contactIdOf(noun, row, workspace)} and x.rows_left`;
}

/** Whether a row has personal fields that an erasure blanks. Rows below a contact are deleted instead. */
export function isBlankedByErasure(noun: Resource): boolean {
  return !isBelowContact(noun) && wayToContact(noun) !== 'itself' && personalFields(noun).length > 0;
}

/**
 * Whether rows below a contact are few enough to be deleted by the transaction that erases it. The others are hidden, and deleted in batches.
 */
export function areFewBelowContact(noun: Resource): boolean {
  const { parent, most } = noun;
  return (
    most !== undefined && parent !== undefined && (!isBelowContact(parent) || areFewBelowContact(parent))
  );
}

const personalFields = ({ fields }: Resource): [string, Field][] =>
  Object.entries<Field>(fields).filter(([, { personal }]) => personal === true);

/** The assignments of an UPDATE that blank the personal data of a row. */
export function blankingOf(noun: Resource): string[] {
  return personalFields(noun).map(([property, field]) => `${toSnakeCase(property)} = ${blankOf(field)}`);
}

/** The blank value of a personal field. */
export function blankOf({ nullable, members, type }: Pick<Field, 'nullable' | 'members' | 'type'>): string {
  if (nullable) return 'null';
  return members === undefined && typeOf(type).isList !== true ? "''" : "'{}'";
}

/** Whether the personal data of the row `t` is older than the erasure of its contact. `offset 0` forces an index look-up for each row. */
function isHidden(noun: Resource): string {
  return `exists (select from contact_erasures x where ${pendingErasure(noun, 't', ROW_WORKSPACE)}
    and (t.${PERSONAL_SINCE} is null or t.${PERSONAL_SINCE} < x.erased_at) offset 0)`;
}

/** A value made of a row's personal data; null while it is hidden. */
export function unlessHidden(noun: Resource, value: string): string {
  return `case when ${value} is null or not ${isHidden(noun)} then ${value} end`;
}

/** The columns of a noun, in which the personal data of rows that are not blanked yet is blank. */
export function withHidden(noun: Resource, columns: Columns): Columns {
  if (!isBlankedByErasure(noun)) return columns;
  const hidden = personalFields(noun).flatMap(([property, field]): [string, Columns[string]][] => {
    const column = columns[property];
    if (column === undefined) return [];
    const value = sqlOf(columns, property) ?? `t.${toSnakeCase(property)}`;
    const sql = field.nullable
      ? unlessHidden(noun, value)
      : `case when ${isHidden(noun)} then ${blankOf(field)} else ${value} end`;
    return [[property, { ...(typeof column === 'string' ? { type: column } : column), sql: `(${sql})` }]];
  });
  return { ...columns, ...Object.fromEntries(hidden) };
}

/**
 * The condition of visible rows below a contact. Rows created before the contact was erased are hidden, because they are about to be
 * deleted.
 */
export function visibleBelowContact(noun: Resource): string {
  return !isBelowContact(noun) || areFewBelowContact(noun)
    ? 'true'
    : `not exists (select from contact_erasures x where ${pendingErasure(noun, 't', ROW_WORKSPACE)}
        and ${isOlder(noun, 't', ROW_WORKSPACE, 'x.erased_at')} offset 0)`;
}

/** Whether a row below a contact, or what it leads to if the row has no time, was created before a time. */
export function isOlder(noun: Resource, row: string, workspace: string, time: string): string {
  if ('createdAt' in noun.fields) return `${row}.created_at < ${time}`;
  const way = wayToContact(noun);
  if (way === null || way === 'itself' || !isBelowContact(way.to)) return 'true';
  const above = `${row}_above`;
  return `exists (select from ${way.to.table} ${above} where ${above}.workspace_id = ${workspace}
    and ${above}.id = ${row}.${toSnakeCase(way.key)} and ${isOlder(way.to, above, workspace, time)})`;
}

/**
 * Blanks the row `t` if it is hidden, before a change, because the row becomes visible with the change.
 * @param where the condition on the row
 */
export function blankHidden(noun: Resource, where: string, workspace: string): string {
  return `update ${noun.table} t set ${[...blankingOf(noun), `${PERSONAL_SINCE} = x.erased_at`, 'row_version = t.row_version + 1'].join(', ')}
    from contact_erasures x where ${where} and ${pendingErasure(noun, 't', workspace)}
      and (t.${PERSONAL_SINCE} is null or t.${PERSONAL_SINCE} < x.erased_at)`;
}

/** Locks the contact of the row `t`, so that it is not erased while its data is read and written. @param where the condition on the row */
export function lockContact(noun: Resource, where: string, workspace?: string): string {
  const row = (value: string) => `(select ${value} from ${noun.table} t where ${where})`;
  return `select k.id from contacts k where k.workspace_id = ${workspace ?? row('t.workspace_id')}
    and k.id = ${row(contactIdOf(noun, 't', workspace ?? 't.workspace_id'))} for key share`;
}
