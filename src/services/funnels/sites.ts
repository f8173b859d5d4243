// The site of a workspace.
import { type Permitted, requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { type SiteRow, site } from '../../resources/sites.ts';
import { completeWorkspace } from '../../store/changing/sites.ts';
import { findPageUnder } from '../../store/reading/pages.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { workspaceTable } from '../../store/tables/workspaces.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { readsOf, requireRow } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { APPENDED_CODE } from './page-code.ts';

type Site = SiteRow & { id: bigint };

const SITES = tableOf(site);
const WORKSPACES = tableOf(workspaceTable);
const FIRST = { order: 'asc', size: 1, after: null, before: null, backward: false } as const;

const reads = readsOf(site);
export const { scope } = reads;
export const { writeScope, update } = writesOf(site, { onRow: APPENDED_CODE });

/** @throws AppError `not_found` for the workspace */
async function findSite(ctx: Context, needed: Scope, ref: Ref): Promise<Site> {
  const by = requireScope(ctx, needed);
  const { tenancy } = by;
  const { title, table } = SITES.parent;
  const found = await findPageUnder(ctx, SITES, tenancy, parseRef(title, table, ref), FIRST);
  if (found === null) throw notFound(site.title);
  return found.rows[0] ?? createMissingSite(ctx, parseRef(title, table, ref), by);
}

/** Creates the site that a workspace of an earlier version lacks. @throws AppError `not_found` if the caller does not own the workspace */
async function createMissingSite(ctx: Context, workspaceId: bigint, { tenancy }: Permitted): Promise<Site> {
  const { name } = await requireRow(ctx, WORKSPACES, tenancy, workspaceId);
  const id = await completeWorkspace(ctx, { id: workspaceId, name, createdAt: ctx.clock() });
  return requireRow(ctx, SITES, tenancy, id);
}

/** @throws AppError as `findSite` */
export function getOf(ctx: Context, ref: Ref): Promise<Site> {
  return findSite(ctx, scope, ref);
}

/** The site of each workspace; null if the caller does not own it. */
export async function getManyOf(ctx: Context, workspaceIds: readonly bigint[]): Promise<(Site | null)[]> {
  const by = requireScope(ctx, scope);
  const pages = await reads.listMany(ctx, workspaceIds, FIRST);
  return Promise.all(
    workspaceIds.map((id, index) => {
      const page = pages[index] ?? null;
      return page && (page.rows[0] ?? createMissingSite(ctx, id, by));
    }),
  );
}

/** @throws AppError as `findSite` and every change do */
export async function updateOf(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Site>> {
  const { id } = await findSite(ctx, writeScope, ref);
  return update(ctx, id, input, options);
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(site, { writes: { writeScope, update } });
