// SQL that hides and blanks the personal data of erased contacts in rows. An erasure is recorded at once, and the rows of the contact are
// blanked in batches afterwards (store/erasure/erasing.ts). Until then a row is hidden: a row with personal fields has them blank, and a row
// below a contact is not visible.
import { isBelowContact, wayToContact } from '../../resources/contact-ways.ts';
import { type Field, type Resource, toSnakeCase } from '../../resources/resource.ts';
import { type Columns, sqlOf } from '../../rows/columns.ts';
import { contactIdOf } from './contact-ways.ts';
import { ROW_WORKSPACE } from './statements.ts';

/** The column that says since when a row can hold personal data: since it was created, or blanked last. */
export const PERSONAL_SINCE = 'personal_since';

/** The erasure `x` of a row's contact that is not blanked yet. */
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

/** What blanks the personal data of a row, as in an UPDATE. */
export function blankingOf(noun: Resource): string[] {
  return personalFields(noun).map(([property, field]) => `${toSnakeCase(property)} = ${blankOf(field)}`);
}

/** The blank value of a personal field. */
export function blankOf({ nullable, members }: Pick<Field, 'nullable' | 'members'>): string {
  if (nullable) return 'null';
  return members === undefined ? "''" : "'{}'";
}

/** Whether the personal data of the row `t` is older than the erasure of its contact. `offset 0`: the erasure is looked up for the row alone. */
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

/** The rows below a contact that are visible: those that are not about to be deleted, because the contact was erased after they were created. */
export function visibleBelowContact(noun: Resource): string {
  return !isBelowContact(noun) || areFewBelowContact(noun)
    ? 'true'
    : `not exists (select from contact_erasures x where ${pendingErasure(noun, 't', ROW_WORKSPACE)}
        and ${isOlder(noun, 't', ROW_WORKSPACE, 'x.erased_at')} offset 0)`;
}

/** Whether a row below a contact, or else what it is below, was created before a time. */
export function isOlder(noun: Resource, row: string, workspace: string, time: string): string {
  if ('createdAt' in noun.fields) return `${row}.created_at < ${time}`;
  const { parent } = noun;
  const way = wayToContact(noun);
  if (parent === undefined || way === null || way === 'itself' || !isBelowContact(parent)) return 'true';
  const above = `${row}_above`;
  return `exists (select from ${parent.table} ${above} where ${above}.workspace_id = ${workspace}
    and ${above}.id = ${row}.${toSnakeCase(way.key)} and ${isOlder(parent, above, workspace, time)})`;
}

/**
 * Blanks the row `t` if it is hidden, before a change: what the change writes is shown.
 * @param where the condition on the row
 */
export function blankHidden(noun: Resource, where: string, workspace: string): string {
  return `update ${noun.table} t set ${[...blankingOf(noun), `${PERSONAL_SINCE} = x.erased_at`, 'row_version = t.row_version + 1'].join(', ')}
    from contact_erasures x where ${where} and ${pendingErasure(noun, 't', workspace)}
      and (t.${PERSONAL_SINCE} is null or t.${PERSONAL_SINCE} < x.erased_at)`;
}

/** Locks the contact of the row `t`, so that it is not erased while its data is read and written. @param where the condition on the row */
export function holdContact(noun: Resource, where: string, workspace?: string): string {
  const row = (value: string) => `(select ${value} from ${noun.table} t where ${where})`;
  return `select k.id from contacts k where k.workspace_id = ${workspace ?? row('t.workspace_id')}
    and k.id = ${row(contactIdOf(noun, 't', workspace ?? 't.workspace_id'))} for key share`;
}
