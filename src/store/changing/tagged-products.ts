// Updates the table `tagged_products` after products and prices were written, in stores without the triggers of the migration
// tagged_products (shard-placement/).
import type { Executor } from '../connections/executor.ts';

const LOCK = `select p.id from products p where p.workspace_id = $1::bigint and p.id = $2::bigint for no key update`;

const DELETE = `delete from tagged_products m where m.workspace_id = $1::bigint and m.product_id = $2::bigint
  and not exists (select from products p where p.workspace_id = $1::bigint and p.id = $2::bigint and m.tag_id = any(p.tag_ids))`;

const WRITE = `insert into tagged_products as m (workspace_id, product_id, tag_id, name, created_at, price, applied_at)
  select p.workspace_id, p.id, g.id, p.name, p.created_at, (select min(r.amount) from product_prices r
    where r.workspace_id = $1::bigint and r.product_id = $2::bigint and r.visible and not r.archived), p.updated_at
  from products p cross join lateral (select distinct unnest(p.tag_ids) as id) g where p.workspace_id = $1::bigint and p.id = $2::bigint
  on conflict (workspace_id, product_id, tag_id) do update
    set name = excluded.name, created_at = excluded.created_at, price = excluded.price`;

/** Updates the rows of one product. Locks the product, so that the later of two concurrent changes sees both. */
export async function updateTaggedProducts(
  tx: Pick<Executor, '$queryRawUnsafe' | '$executeRawUnsafe'>,
  workspaceId: bigint,
  productId: bigint,
): Promise<void> {
  await tx.$queryRawUnsafe(LOCK, workspaceId, productId);
  await tx.$executeRawUnsafe(DELETE, workspaceId, productId);
  await tx.$executeRawUnsafe(WRITE, workspaceId, productId);
}

const PRODUCT_OF_PRICE = `select r.product_id as "productId" from product_prices r
  where r.workspace_id = $1::bigint and r.id = $2::bigint`;

/** Updates the rows of the product of a price. */
export async function updateTaggedProductOfPrice(
  tx: Executor,
  workspaceId: bigint,
  priceId: bigint,
): Promise<void> {
  const [price] = await tx.$queryRawUnsafe<{ productId: bigint }[]>(PRODUCT_OF_PRICE, workspaceId, priceId);
  if (price !== undefined) await updateTaggedProducts(tx, workspaceId, price.productId);
}
