// Sets an object's tags as part of a change of the object. `$tag_ids` replaces the set; null leaves it. `applied` is the set afterwards.
import { contactIdOf } from '../sql/contact-ways.ts';
import { snapshot } from '../sql/row-json.ts';
import { contactOfApplied } from '../sql/tags.ts';
import type { Table } from '../tables/table.ts';
import { event } from './records.ts';

/** The table whose rows apply tags to objects. */
type Applied = Table<{ id: bigint }>;

/** The tags of an object that is created as `t`. */
export function appliedSetOfNew({ name, parent: { column } }: Applied): string {
  return `applied as (
      insert into ${name} (workspace_id, ${column}, tag_id)
      select t.workspace_id, t.id, i.id from t cross join (select distinct unnest($tag_ids::bigint[]) as id) i
      returning *
    ),`;
}

/** The tags of an object that is changed as `t`. */
export function appliedSet({ name, parent: { column } }: Applied): string {
  const ofObject = `a.workspace_id = t.workspace_id and a.${column} = t.id`;
  return `unapplied as (
      delete from ${name} a using t where ${ofObject} and a.tag_id <> all ($tag_ids::bigint[]) returning a.*
    ), newly as (
      insert into ${name} (workspace_id, ${column}, tag_id)
      select t.workspace_id, t.id, i.id from t cross join (select distinct unnest($tag_ids::bigint[]) as id) i
      where not exists (select from ${name} a where ${ofObject} and a.tag_id = i.id)
      returning *
    ), applied as (
      select a.* from ${name} a join t on ${ofObject} where $tag_ids::bigint[] is null or a.tag_id = any ($tag_ids::bigint[])
      union all select * from newly
    ),`;
}

/** Whether the tags of an object `row` would change. */
export function isOtherSet({ name, parent: { column } }: Applied, row: string): string {
  const ofObject = `a.workspace_id = ${row}.workspace_id and a.${column} = ${row}.id`;
  return `exists (select from ${name} a where ${ofObject} and a.tag_id <> all ($tag_ids::bigint[]))
    or exists (select from unnest($tag_ids::bigint[]) i (id) where not exists (
      select from ${name} a where ${ofObject} and a.tag_id = i.id))`;
}

/** An event for each tag that was applied to the contact `t` or removed from it, with the contact as it is after the change. */
export function tagEvents(applied: Applied, action: string): string[] {
  const { resource, columns } = applied;
  const data = snapshot(resource, columns, { contact: contactOfApplied('t') });
  const shown = (from: string) =>
    `(select t.workspace_id, t.id, ${contactIdOf(resource)} as contact_id, ${data} as data from ${from} t) a`;
  return action === 'created'
    ? [event(resource, 'created', 'data', { from: shown('applied') })]
    : [
        event(resource, 'created', 'data', { from: shown('newly') }),
        event(resource, 'deleted', 'data', { from: shown('unapplied') }),
      ];
}
