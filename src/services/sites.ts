// The site of a workspace.
import { requireScope, type Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { type SiteRow, site } from '../resources/sites.ts';
import { findPageUnder } from '../store/reading/rows.ts';
import { tableOf } from '../store/tables/tables.ts';
import type { Done } from './mutate.ts';
import { APPENDED_CODE } from './page-code.ts';
import type { Input } from './parse-fields.ts';
import { readsOf } from './reads.ts';
import { parseRef, type Ref } from './refs.ts';
import type { WriteOptions } from './write-options.ts';
import { writesOf } from './writes.ts';

type Site = SiteRow & { id: bigint };

const SITES = tableOf(site);
const FIRST = { order: 'asc', size: 1, after: null, before: null, backward: false } as const;

const reads = readsOf(site);
export const { scope } = reads;
export const { writeScope, update } = writesOf(site, { onRow: APPENDED_CODE });

/** @throws AppError `not_found`, also where a version before has made the workspace without a site */
async function findOf(ctx: Context, needed: Scope, workspace: Ref): Promise<Site> {
  const { tenancy } = requireScope(ctx, needed);
  const { title, table } = SITES.parent;
  const found = await findPageUnder(ctx, SITES, tenancy, parseRef(title, table, workspace), FIRST);
  const [row] = found?.rows ?? [];
  if (row === undefined) throw notFound(site.title);
  return row;
}

/** @throws AppError as `findOf` */
export function getOf(ctx: Context, workspace: Ref): Promise<Site> {
  return findOf(ctx, scope, workspace);
}

/** The site of each workspace; null where it has none, or the caller does not own it. */
export async function getManyOf(ctx: Context, workspaceIds: readonly bigint[]): Promise<(Site | null)[]> {
  const pages = await reads.listMany(ctx, workspaceIds, FIRST);
  return pages.map((page) => page?.rows[0] ?? null);
}

/** @throws AppError as `findOf` and every change do */
export async function updateOf(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Done<Site>> {
  const { id } = await findOf(ctx, writeScope, workspace);
  return update(ctx, id, input, options);
}
