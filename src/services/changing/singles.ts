// Nouns of which each workspace has one object, such as its site: clients find it by the workspace.
import { type Permitted, requireScope, type Scope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import type { Row } from '../../resources/description/resource.ts';
import type { Described } from '../../resources/nouns.ts';
import { completeWorkspace, type FirstObjects } from '../../store/changing/first-objects.ts';
import { findPageUnder } from '../../store/reading/pages.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { workspaceTable } from '../../store/tables/workspaces.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { readsOf, requireRow } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import type { ChangeAnswer } from './mutate.ts';
import type { Writes } from './writes.ts';

/** The reads and the change of the one object of a workspace. */
export interface Single<Row> {
  readonly scope: Scope;
  readonly writeScope: Scope;
  /** @throws AppError `not_found` for the workspace */
  getOf(ctx: Context, workspace: Ref): Promise<Row>;
  /** The object of each workspace; null if the caller does not own it. */
  getManyOf(ctx: Context, workspaceIds: readonly bigint[]): Promise<(Row | null)[]>;
  /** @throws AppError as `getOf` and every change do */
  updateOf(ctx: Context, workspace: Ref, input: Input, options: WriteOptions): Promise<ChangeAnswer<Row>>;
}

const WORKSPACES = tableOf(workspaceTable);
const FIRST = { order: 'asc', size: 1, after: null, before: null, backward: false } as const;

/**
 * @param called the noun among what every workspace starts with
 * @param writes the changes of the noun
 */
export function singleOf<R extends Described>(
  noun: R,
  called: keyof FirstObjects,
  { writeScope, update }: Pick<Writes<Row<R> & { id: bigint }>, 'writeScope' | 'update'>,
): Single<Row<R> & { id: bigint }> {
  const table = tableOf(noun);
  const scope = scopeFor(noun, 'read');
  const reads = readsOf(noun);
  const { title, table: parentName } = table.parent;

  async function find(ctx: Context, needed: Scope, ref: Ref): Promise<Row<R> & { id: bigint }> {
    const by = requireScope(ctx, needed);
    const workspaceId = parseRef(title, parentName, ref);
    const found = await findPageUnder(ctx, table, by.tenancy, workspaceId, FIRST);
    if (found === null) throw notFound(noun.title);
    return found.rows[0] ?? createMissing(ctx, workspaceId, by);
  }

  /** Creates the object that a workspace of an earlier version lacks. @throws AppError `not_found` if the caller does not own the workspace */
  async function createMissing(ctx: Context, workspaceId: bigint, { tenancy }: Permitted) {
    const { name } = await requireRow(ctx, WORKSPACES, tenancy, workspaceId);
    const ids = await completeWorkspace(ctx, { id: workspaceId, name, createdAt: ctx.clock() });
    return requireRow(ctx, table, tenancy, ids[called]);
  }

  return {
    scope,
    writeScope,
    getOf: (ctx, ref) => find(ctx, scope, ref),
    async getManyOf(ctx, workspaceIds) {
      const by = requireScope(ctx, scope);
      const pages = await reads.listMany(ctx, workspaceIds, FIRST);
      return Promise.all(
        workspaceIds.map((id, index) => {
          const page = pages[index] ?? null;
          return page && (page.rows[0] ?? createMissing(ctx, id, by));
        }),
      );
    },
    async updateOf(ctx, ref, input, options) {
      const { id } = await find(ctx, writeScope, ref);
      return update(ctx, id, input, options);
    },
  };
}
