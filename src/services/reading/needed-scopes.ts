// Members that need another scope than their object, such as the contact of an order (`needs` in descriptions). A caller without that
// scope gets null in every representation of the object.
import { coversScope, requireCaller, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { Field, Fields } from '../../resources/description/fields.ts';
import { restNameOf, subjectTypeOf } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { NOUNS } from '../../resources/nouns.ts';
import { setMembersNull } from '../../rows/columns.ts';
import { withNull } from '../../rows/json-members.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import type { Reads } from './reads.ts';

/** A member that needs a scope, with the path to it in REST's names. */
export interface ScopedMember {
  readonly way: readonly string[];
  readonly scope: Scope;
}

/** The members of objects with these fields that need another scope. */
function needingIn(fields: Fields, above: readonly string[] = []): ScopedMember[] {
  return Object.entries<Field>(fields).flatMap(([property, field]): ScopedMember[] => {
    const way = [...above, restNameOf(property, field)];
    if (field.needs !== undefined) return [{ way, scope: `${field.needs}:read` }];
    return field.object === undefined ? [] : needingIn(field.object, way);
  });
}

/** By the subject types of events and audit entries. Most have none. */
const bySubject = new Map(NOUNS.map((noun) => [subjectTypeOf(noun), needingIn(noun.fields)]));

/** The members of a subject that need another scope. */
export function needingOf(subjectType: string): readonly ScopedMember[] {
  return bySubject.get(subjectType) ?? [];
}

/** The paths to the members that a caller may not read. */
export function hiddenFrom({ actor }: Pick<Context, 'actor'>, needing: readonly ScopedMember[]) {
  if (needing.length === 0) return [];
  const { scopes } = requireCaller({ actor });
  return needing.filter(({ scope }) => !coversScope(scopes, scope)).map(({ way }) => way);
}

/** Parses snapshots of a change to rows, with null for members that the caller may not read. */
export function rowsFor<Row>(ctx: Context, resource: Resource): (json: string) => Row {
  return rowsOf<Row>(resource)(ctx);
}

/** As `rowsFor`, for many changes. */
export function rowsOf<Row>(resource: Resource): (ctx: Context) => (json: string) => Row {
  const toRow = snapshotRows<Row>(resource);
  const needing = needingIn(resource.fields);
  return (ctx) => {
    const hidden = hiddenFrom(ctx, needing);
    return hidden.length === 0 ? toRow : (json) => toRow(withNull(json, hidden));
  };
}

/** The same reads, with null for members that the caller may not read. */
export function withoutNeeded<Row extends { id: bigint }>(
  reads: Reads<Row>,
  { fields }: Resource,
): Reads<Row> {
  const needing = needingIn(fields);
  const properties = new Map(
    Object.entries<Field>(fields).map(([property, field]) => [restNameOf(property, field), property]),
  );
  function shown<Rows extends readonly (Row | null)[]>(ctx: Context, rows: Rows): Rows {
    for (const [name = '', ...way] of hiddenFrom(ctx, needing))
      for (const row of rows) if (row !== null) setMembersNull(row, properties.get(name) ?? name, [way]);
    return rows;
  }
  return {
    ...reads,
    get: async (ctx, ref, projection) => shown(ctx, [await reads.get(ctx, ref, projection)] as const)[0],
    getMany: async (ctx, ids, projection) => shown(ctx, await reads.getMany(ctx, ids, projection)),
    async list(ctx, parent, page, projection) {
      const found = await reads.list(ctx, parent, page, projection);
      return { ...found, rows: shown(ctx, found.rows) };
    },
    async listMany(ctx, parentIds, page, projection = null) {
      const pages = await reads.listMany(ctx, parentIds, page, projection);
      return pages.map((found) => found && { ...found, rows: shown(ctx, found.rows) });
    },
  };
}

/** Hides members from a caller in columns with the JSON of a subject; the `hide` of a `Withheld` (reads.ts). */
export function hideNeeded(ctx: Context, row: object, subjectType: string, columns: readonly string[]): void {
  const hidden = hiddenFrom(ctx, needingOf(subjectType));
  if (hidden.length > 0) for (const column of columns) setMembersNull(row, column, hidden);
}
