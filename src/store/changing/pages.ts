// The SQL that is specific to changes of pages: the path of a new page, the funnels that keep a page from being deleted, and its products.
import type { Executor } from '../connections/executor.ts';
import { toPath, withSlash } from '../sql/paths.ts';
import { showingStep } from '../sql/showing-steps.ts';
import { pageTable } from '../tables/pages.ts';
import { tableOf } from '../tables/tables.ts';
import { changeRows } from './other-rows.ts';
import { type ChangeRules, type ChangingRow, Refused } from './rules.ts';

const PAGES = tableOf(pageTable);

/** A page can have millions of visitors. They are deleted in batches afterwards (store/cleaning/). */
const RECORD_DELETED_PAGE =
  'insert into deleted_pages (workspace_id, page_id) values ($1::bigint, $2::bigint) on conflict do nothing';

export const PAGE_RULES = {
  derived: { current_path: { onCreate: '$path::text', onUpdate: 'o.current_path' } },
  constraints: {
    pages_bumps_check: 'bumps',
    pages_external_url_check: 'externalUrl',
    funnel_steps_one_step_of_page: 'ofStep',
  },
  others: {
    nouns: [],
    async before(tx: Executor, row: ChangingRow) {
      if (row.given !== null) return [];
      await requireNotShown(tx, row);
      await tx.$executeRawUnsafe(RECORD_DELETED_PAGE, row.workspaceId, row.id);
      return [];
    },
  },
} satisfies ChangeRules;

/**
 * The path of a new page: the client's, or one made from its name. @param below the path of its funnel; empty without one
 * @throws Refused for white space, which a URL cannot have
 */
export function pathFor(
  { current_path: wanted, name }: Readonly<Record<string, unknown>>,
  below: string,
): string {
  if (typeof wanted === 'string' && /\s/.test(wanted))
    throw new Refused('currentPath', {
      code: 'invalid_format',
      message: 'must not contain spaces',
    });
  return typeof wanted === 'string'
    ? withSlash(wanted)
    : `${below}${withSlash(toPath(String(name), 'page'))}`;
}

/** The funnel where a page is placed: the client's, or that of the step. null if the workspace has no such funnel, or the two differ. */
export async function findFunnelFor(
  tx: Executor,
  workspaceId: bigint,
  { funnelId, stepId }: { readonly funnelId: bigint | null; readonly stepId: bigint | null },
): Promise<{ id: bigint; currentPath: string } | null> {
  const [found] = await tx.$queryRawUnsafe<{ id: bigint; currentPath: string }[]>(
    `select f.id, f.current_path as "currentPath" from (select (select s.funnel_id from funnel_steps s
        where s.workspace_id = $1::bigint and s.id = $3::bigint and s.removed_at is null) as id) of_step
      join funnels f on f.workspace_id = $1::bigint and f.id = coalesce($2::bigint, of_step.id)
      where $3::bigint is null or f.id = of_step.id`,
    ...[workspaceId, funnelId, stepId],
  );
  return found ?? null;
}

/** Refuses to delete a page while a step of a funnel shows it. @throws Refused */
async function requireNotShown(tx: Executor, { workspaceId, id }: ChangingRow): Promise<void> {
  const [funnel] = await tx.$queryRawUnsafe<{ name: string; publicId: string }[]>(
    `select f.name, f.public_id as "publicId" from ${showingStep('$1::bigint', '$2::bigint')}`,
    ...[workspaceId, id],
  );
  if (funnel === undefined) return;
  throw new Refused(
    null,
    `The page is used by a step of the funnel "${funnel.name}" (${funnel.publicId}) and was not deleted.`,
  );
}

/** Removes products from a locked page, bumps included. */
export async function removeProducts(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
  productIds: readonly bigint[],
): Promise<void> {
  // Safe as SQL: ids are digits.
  const gone = `'{${productIds.join()}}'::bigint[]`;
  await changeRows(
    tx,
    PAGES,
    workspaceId,
    [id],
    `product_ids = array(select u.id from unnest(c.product_ids) with ordinality u (id, place) where u.id <> all(${gone}) order by u.place),
      bumps = coalesce((select jsonb_agg(b.item order by b.place) from jsonb_array_elements(c.bumps) with ordinality b (item, place)
        where (b.item ->> 'product_id')::bigint <> all(${gone})), '[]')`,
  );
}
