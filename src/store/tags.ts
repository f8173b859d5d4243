// The tags that stand on an object, as one column of its row: JSON that PostgreSQL puts together, in the form of REST.
import { appliedTag } from '../resources/applied-tags.ts';
import { type Field, restNameOf, toSnakeCase } from '../resources/resource.ts';
import { tagOnObject } from '../resources/tags.ts';

/** Of alias `g`, the tag, and `a`, its being applied. */
const SQL: Readonly<Record<keyof typeof tagOnObject, string>> = {
  id: 'g.id',
  publicId: 'to_json(g.public_id)',
  name: 'to_json(g.name)',
  color: 'to_json(g.color)',
  appliedAt: `to_json(to_char(a.applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
};

/**
 * The tags on the objects of a table, the oldest tag first, without spaces between the parts: `[]` where there is none.
 * @param table what applies tags
 * @param column where it names the object, which is `t`
 */
export function tagsOf(table: string, column: string): string {
  const members = Object.entries<Field>(tagOnObject).map(
    ([property, field]) => `"${restNameOf(property, field)}":' || ${SQL[property as keyof typeof SQL]} || '`,
  );
  return `(select coalesce('[' || string_agg('{${members.join(',')}}', ',' order by g.id) || ']', '[]')
    from ${table} a join tags g on g.workspace_id = a.workspace_id and g.id = a.tag_id
    where a.workspace_id = t.workspace_id and a.${column} = t.id)`;
}

/** The tag of an applied tag, which is `t`, without spaces between the parts. */
export function tagOfApplied(): string {
  const members = Object.entries<Field>(appliedTag.fields.tag.object).map(
    ([property, field]) => `g.${toSnakeCase(property)} as "${restNameOf(property, field)}"`,
  );
  return `(select to_json(v) from (select ${members.join(', ')} from tags g
    where g.workspace_id = t.workspace_id and g.id = t.tag_id) v)`;
}
