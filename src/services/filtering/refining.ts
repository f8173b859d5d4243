// Applies saved filters to lists: checks the criteria of a filter again, and reads the list that it selects.
import { hash } from 'node:crypto';
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, invalid, mustBe } from '../../errors.ts';
import type { Selection } from '../../pagination.ts';
import { withArticle } from '../../resources/description/names.ts';
import type { Sort } from '../../resources/description/sorts.ts';
import {
  MAX_CRITERIA,
  type RefineFilterRow,
  type RequestedCriteria,
  refineFilter,
} from '../../resources/refine-filters.ts';
import { findWorkspace } from '../../store/reading/parents.ts';
import type { RefinedList } from '../../store/reading/refined.ts';
import { findById } from '../../store/reading/rows.ts';
import { mayHaveReadReplica } from '../../store/replicas/reading.ts';
import { parseId } from '../../store/sql/public-ids.ts';
import type { RefineCriteria, RefineCriterion } from '../../store/sql/refined.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Table } from '../../store/tables/table.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { cachedFilter, type SavedFilter } from './known-filters.ts';
import { parseCriteria } from './refine-criteria.ts';

const FILTERS = tableOf(refineFilter);

/**
 * Parses a client's reference to a saved filter.
 * @param name the client's name for the parameter
 * @throws AppError `invalid`
 */
export function parseRefineFilter(text: string, name: string, isPublic = false): bigint {
  const id = isPublic && /^\d/.test(text) ? null : parseId(FILTERS.name, text);
  if (id === null)
    throw invalid(name, mustBe(`the ${isPublic ? 'public' : 'integer or public'} id of a saved filter`));
  return id;
}

/**
 * The checked criteria of a saved filter that selects objects of a class.
 * @throws AppError `invalid` when the filter is of another class, or was saved with criteria that cannot be applied
 */
export function criteriaOf(
  ctx: Context,
  { filterClass, conjunction, criteria }: Pick<RefineFilterRow, 'filterClass' | 'conjunction' | 'criteria'>,
  of: string | undefined,
): RefineCriteria {
  if (filterClass !== of)
    throw invalid('filter_class', {
      code: 'not_allowed',
      message: `The saved filter is ${withArticle(filterClass)} and selects other objects. Use one of this kind of list.`,
    });
  return { conjunction, criteria: parseCriteria(filterClass, criteria, ctx.clock()) };
}

/** How to read a list: like other lists (`list` is null), or by a saved filter. */
type ReadPlan<Row extends { id: bigint }, S extends Selection> =
  | { readonly list: null; readonly selection: S }
  | { readonly list: RefinedList<Row>; readonly selection: S };

/** Reads what a saved filter selects. */
interface RefinedRead<Row extends { id: bigint }, S extends Selection, Result> {
  /** Must not change anything: it may be called several times. */
  read(refining: ReadPlan<Row, S>): Promise<Result>;
  /**
   * Whether the result has rows, which proves that the selection's `provided` held during the read. Absent: the result has no rows, or
   * does not depend on the filter.
   */
  tells?(result: Result): boolean;
}

/**
 * Reads what a selection with a saved filter selects. It first reads the list by the cached filter, on the condition that the filter is
 * unchanged. The same statement checks this, so the filter costs nothing more if there are rows. If the result is empty, it also reads the
 * filter; if that has changed, it drops the result and reads the list again. So the answer always matches the filter as it was during the
 * request, whichever process changed it.
 * @param workspaces the parents of the lists
 * @throws AppError `invalid` blaming the parameter, when the workspaces have no such filter or it cannot be applied to their objects; as
 *   `read` does
 */
export async function refine<Row extends { id: bigint }, S extends Selection, Result>(
  ctx: Context,
  table: Table<Row>,
  tenancy: Tenancy,
  workspaces: readonly bigint[],
  { refinedBy: { id, name }, ...rest }: S & { readonly refinedBy: NonNullable<Selection['refinedBy']> },
  { read, tells }: RefinedRead<Row, S, Result>,
): Promise<Result> {
  const selection = rest as Selection as S;
  requireScope(ctx, scopeFor(refineFilter, 'read'));
  const readBy = async (filter: SavedFilter, selected = selection) =>
    read(planRead(ctx, table, tenancy, filter, selected, name));
  const isOfAll = (filter: SavedFilter | null | undefined): filter is SavedFilter =>
    filter != null && workspaces.length > 0 && workspaces.every((one) => one === filter.workspaceId);
  const known = cachedFilter(tenancy, id);
  const remembered = isOfAll(known.filter) ? known.filter : null;
  const canTell = tells !== undefined && workspaces.length === 1;
  let firstRead: PromiseSettledResult<Result> | undefined;
  if (remembered !== null && canTell) {
    [firstRead] = await Promise.allSettled([readBy(remembered, { ...selection, provided: remembered })]);
    if (firstRead.status === 'fulfilled') {
      if (tells(firstRead.value)) return firstRead.value;
      // A replica may have had an older filter at the time of the read, and have this one now.
      if (mayHaveReadReplica(ctx)) firstRead = undefined;
    }
  }
  const concurrentRead = remembered !== null && !canTell ? Promise.allSettled([readBy(remembered)]) : null;
  const filter = await findById(ctx, FILTERS, tenancy, id);
  if (known.remember(filter)) {
    firstRead ??= (await concurrentRead)?.[0];
    if (firstRead?.status === 'rejected') throw firstRead.reason;
    if (firstRead !== undefined) return firstRead.value;
  }
  if (isOfAll(filter)) return readBy(filter);
  const owned = await Promise.all(workspaces.map((one) => findWorkspace(ctx, 'workspaces', tenancy, one)));
  // The list itself reports that there is no such workspace.
  if (owned.every((one) => one === null)) return read({ list: null, selection });
  throw invalid(name, { code: 'not_found', message: 'there is no such saved filter in this workspace' });
}

/**
 * Decides how to read a list by the criteria of a request.
 * @throws AppError `invalid` blaming the members of each wrong criterion
 */
export function planByCriteria<Row extends { id: bigint }, S extends Selection>(
  ctx: Context,
  table: Table<Row>,
  tenancy: Tenancy,
  workspaceId: bigint,
  selection: S & { readonly criteria: NonNullable<Selection['criteria']> },
): ReadPlan<Row, S> {
  const { criteria: given, ...rest } = selection;
  const criteria = requestedCriteria(ctx, table, given);
  const selected = rest as Selection as S;
  const plain =
    criteria.criteria.length === 1 &&
    selected.filter === undefined &&
    plainFilter(table, criteria.criteria[0], selected.sort ?? 'id');
  if (plain) return { list: null, selection: { ...selected, filter: plain } };
  return { list: { table, tenancy, workspaceId, criteria, version: versionOf(given) }, selection: selected };
}

function requestedCriteria(
  ctx: Context,
  { resource: { refinedBy = '' } }: Pick<Table<{ id: bigint }>, 'resource'>,
  { given, forms }: RequestedCriteria,
): RefineCriteria {
  if (given.length > MAX_CRITERIA)
    throw invalid('criteria', { code: 'too_many', message: `can have at most ${MAX_CRITERIA} items` });
  return { conjunction: 'and', criteria: parseCriteria(refinedBy, given, ctx.clock(), 'criteria', forms) };
}

/** Identifies criteria, whatever their length. */
function versionOf({ given }: RequestedCriteria): string {
  return hash('sha1', JSON.stringify(given));
}

/**
 * Decides how to read a list by a saved filter. If the only criterion equals a filter of the list itself, the list is read by that filter,
 * unless an index has the selected rows in the list's order.
 */
function planRead<Row extends { id: bigint }, S extends Selection>(
  ctx: Context,
  table: Table<Row>,
  tenancy: Tenancy,
  filter: SavedFilter,
  selection: S,
  name: string,
): ReadPlan<Row, S> {
  const criteria = appliedCriteria(ctx, table, filter, name);
  const { criteria: given } = selection;
  const others = given && requestedCriteria(ctx, table, given);
  const plain =
    criteria.criteria.length === 1 &&
    others === undefined &&
    selection.filter === undefined &&
    plainFilter(table, criteria.criteria[0], selection.sort ?? 'id');
  if (plain) return { list: null, selection: { ...selection, filter: plain } };
  const { id, workspaceId, updatedAt } = filter;
  const version = `${id} ${updatedAt.toISOString()}`;
  return {
    list: {
      ...{ table, tenancy, workspaceId, criteria },
      ...(others && { others }),
      version: given === undefined ? version : `${version} ${versionOf(given)}`,
    },
    selection,
  };
}

/** As `criteriaOf`, blaming the parameter that refers to the filter. */
function appliedCriteria(
  ctx: Context,
  { resource }: Table<{ id: bigint }>,
  filter: SavedFilter,
  name: string,
): RefineCriteria {
  try {
    return criteriaOf(ctx, filter, resource.refinedBy);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid')
      throw invalid(name, {
        code: 'not_allowed_now',
        message: `names a saved filter that cannot be applied. ${error.message}`,
      });
    throw error;
  }
}

/**
 * The filter of the list that selects the same rows as a criterion; undefined if there is none. Criteria ignore the case of text; a filter
 * does so only if its match has `keyOf`.
 */
function plainFilter(
  { filters }: Pick<Table<{ id: bigint }>, 'filters'>,
  criterion: RefineCriterion | undefined,
  sort: Sort,
): Selection['filter'] {
  if (criterion === undefined || criterion.isNegated || criterion.test.kind !== 'equal') return undefined;
  const { property = '', kind, inOrder } = criterion.attribute;
  if (inOrder?.equal?.[sort] !== undefined) return undefined;
  const match = filters.find((filter) => filter.property === property)?.match;
  if (match === undefined) return undefined;
  const isSame = kind !== 'text' || ('keyOf' in match && match.keyOf !== undefined);
  return isSame ? { [property]: criterion.test.values } : undefined;
}
