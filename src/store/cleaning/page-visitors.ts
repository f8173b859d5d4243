// Deletes the visitors of deleted pages in batches: a page can have millions.
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

interface DeletedPage {
  readonly workspaceId: bigint;
  readonly pageId: bigint;
}

const FIND = statement(
  'deleted_pages.first',
  () => 'select d.workspace_id as "workspaceId", d.page_id as "pageId" from deleted_pages d limit 1',
);

const DELETE = statement(
  'page_visitors.of_deleted_page',
  () => `delete from page_visitors v where v.workspace_id = $1::bigint and v.page_id = $2::bigint and v.visitor = any(array(
    select o.visitor from page_visitors o where o.workspace_id = $1::bigint and o.page_id = $2::bigint limit $3::int)) returning 1`,
);

const FORGET = statement(
  'deleted_pages.done',
  () => 'delete from deleted_pages d where d.workspace_id = $1::bigint and d.page_id = $2::bigint',
);

/** Deletes at most `limit` visitors of one deleted page. Returns whether there may be more. Another process may delete the same ones. */
export async function deleteVisitors(db: Pick<Store, 'pool'>, limit: number): Promise<boolean> {
  const [page] = await query<DeletedPage>(db, FIND, []);
  if (page === undefined) return false;
  const of = [page.workspaceId, page.pageId];
  const gone = await query(db, DELETE, [...of, limit]);
  if (gone.length < limit) await query(db, FORGET, of);
  return true;
}
