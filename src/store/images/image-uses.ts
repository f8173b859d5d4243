// Which products show an image: lists of ids have no foreign keys.
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

const SHOWS = 'image_ids @> array[$2::bigint]';

const USES = statement(
  'images.uses',
  () => `select p.name from products p where p.workspace_id = $1::bigint and (p.${SHOWS} or p.seo_image_id = $2
      or exists (select from product_variants v where v.workspace_id = $1::bigint and v.product_id = p.id and v.${SHOWS}))
    order by p.id limit $3::int`,
);

/** The names of products that show an image, or have a variant that does. @throws AppError `unavailable` */
export async function findProductsWith(
  db: Pick<Store, 'pool'>,
  { workspaceId, id }: { readonly workspaceId: bigint; readonly id: bigint },
  limit: number,
): Promise<readonly string[]> {
  const products = await query<{ name: string }>(db, USES, [workspaceId, id, limit]);
  return products.map(({ name }) => name);
}
