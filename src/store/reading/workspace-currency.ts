// The currency in which a workspace sells.
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

const NEWEST = statement(
  'product_prices.newest_currency',
  () =>
    'select p.currency from product_prices p where p.workspace_id = $1::bigint order by p.id desc limit 1',
);

/** The currency of the workspace's newest price; null if there is none. @throws AppError `unavailable` */
export async function findCurrency(db: Pick<Store, 'pool'>, workspaceId: bigint): Promise<string | null> {
  const [newest] = await query<{ currency: string }>(db, NEWEST, [workspaceId]);
  return newest?.currency ?? null;
}
