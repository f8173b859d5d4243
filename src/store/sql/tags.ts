// The tags on an object as one column of its row: JSON in REST's form, built by PostgreSQL.
import { appliedTag } from '../../resources/applied-tags.ts';
import type { Field, Fields } from '../../resources/description/fields.ts';
import { restNameOf, toSnakeCase } from '../../resources/description/names.ts';
import { tagOnObject } from '../../resources/tags.ts';
import type { Columns, DescribedColumn } from '../../rows/columns.ts';

/** SQL over the aliases `g`, the tag, and `a`, its application. Names are escaped, because clients choose them. */
const SQL: Readonly<Record<keyof typeof tagOnObject, string>> = {
  id: 'g.id',
  publicId: `'"' || g.public_id || '"'`,
  name: 'to_json(g.name)',
  color: `'"' || g.color || '"'`,
  appliedAt: `'"' || to_char(a.applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`,
};

/**
 * The tags on the objects of a table, the oldest tag first, as JSON without spaces; `[]` if there are none.
 * @param table the table of applied tags
 * @param column its column with the id of the object `t`
 * @param tags the table of the tags
 * @param appliedAt the column of `table` with the time
 */
export function tagsOf(table: string, column: string, tags = 'tags', appliedAt = 'applied_at'): string {
  const members = Object.entries<Field>(tagOnObject).map(
    ([property, field]) =>
      `"${restNameOf(property, field)}":' || ${SQL[property as keyof typeof SQL].replace('a.applied_at', `a.${appliedAt}`)} || '`,
  );
  return `(select coalesce('[' || string_agg('{${members.join(',')}}', ',' order by g.id) || ']', '[]')
    from ${table} a join ${tags} g on g.workspace_id = a.workspace_id and g.id = a.tag_id
    where a.workspace_id = $row_workspace and a.${column} = t.id)`;
}

/**
 * The column with the tags on objects whose rows do not show them with their times. It is read if they are selected (`below`).
 * @param of as `tagsOf`
 */
export function joinedTags(...of: Parameters<typeof tagsOf>): Columns {
  const column: DescribedColumn = { type: 'json', items: tagOnObject, sql: tagsOf(...of) };
  return { tags: { type: 'text', joined: () => column } };
}

/**
 * The pairs of objects and those of their tags that still exist, as a table: deleting a tag leaves its pairs. It is read for one workspace,
 * which the subquery names itself, because some stores need it (shard-placement/).
 * @param column of the objects
 */
export function pairsOfTags(pairs: string, column: string, tags: string): string {
  // A scalar subquery cannot become a join, so the pairs keep the order of their index.
  return `(select m.workspace_id, m.${column}, m.tag_id from ${pairs} m
    where (select true from ${tags} g where g.workspace_id = $row_workspace and g.id = m.tag_id))`;
}

/** The tag of the applied tag `t`, as JSON without spaces. */
export function tagOfApplied(): string {
  const { object } = appliedTag.fields.tag;
  return objectFrom(object, 'tags s where s.workspace_id = $row_workspace and s.id = t.tag_id');
}

/**
 * The contact of the applied tag `t`, as JSON without spaces.
 * @param contacts the table. A statement that changes contacts sees the table in its earlier state, so it passes the changed rows here
 */
export function contactOfApplied(contacts: string): string {
  const { object } = appliedTag.fields.contact;
  return objectFrom(object, `${contacts} s where s.workspace_id = $row_workspace and s.id = t.contact_id`);
}

/** A row `s` as JSON with these fields. */
function objectFrom(fields: Fields, from: string): string {
  const members = Object.entries(fields).map(
    ([property, field]) => `s.${toSnakeCase(property)} as "${restNameOf(property, field)}"`,
  );
  return `(select to_json(v) from (select ${members.join(', ')} from ${from}) v)`;
}
