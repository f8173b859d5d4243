// Finds the objects that show an image: lists of ids have no foreign keys.
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { image } from '../../resources/images.ts';
import { NOUNS } from '../../resources/nouns.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** SQL: the objects of a noun that show the image: the noun's title, and the name or public id of each. */
function usesIn({ table, title, fields }: Resource): string[] {
  const shows = Object.entries(fields)
    .filter(([, { refers }]) => refers?.table === image.table)
    .map(
      ([property, { type }]) =>
        `t.${toSnakeCase(property)} ${type === 'int8[]' ? '@> array[$2::bigint]' : '= $2'}`,
    );
  const name =
    fields['name']?.type === 'text' ? `coalesce('"' || t.name || '"', t.public_id)` : 't.public_id';
  const named = `select '${title.toLowerCase()}' as title, ${name} as name, t.id from ${table} t`;
  return shows.length === 0
    ? []
    : [
        `(${named} where t.workspace_id = $1::bigint and (${shows.join(' or ')}) order by t.id limit $3::int)`,
      ];
}

const USES = statement(
  'images.uses',
  () => `select u.title, u.name from (${NOUNS.flatMap(usesIn).join(' union all ')}) u limit $3::int`,
);

/** The objects that show an image, as texts for a message. @throws AppError `unavailable` */
export async function findUses(
  db: Pick<Store, 'pool'>,
  { workspaceId, id }: { readonly workspaceId: bigint; readonly id: bigint },
  limit: number,
): Promise<readonly string[]> {
  const uses = await query<{ title: string; name: string }>(db, USES, [workspaceId, id, limit]);
  return uses.map(({ title, name }) => `the ${title} ${name}`);
}
