// Saved filters of a workspace (spec §2, §4 pagination rule 7).
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import {
  AppError,
  conflict,
  type FieldError,
  invalid,
  invalidFields,
  mustBeOneOf,
  noSuch,
} from '../../errors.ts';
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../../pagination.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import type { NounTable } from '../../resources/nouns.ts';
import { attributesOf, REFINE_ATTRIBUTES } from '../../resources/refine-attributes.ts';
import { type Criterion, type RefineFilterRow, refineFilter } from '../../resources/refine-filters.ts';
import { findSplitsByFilter } from '../../store/reading/funnel-steps.ts';
import { findById, findByIds } from '../../store/reading/rows.ts';
import type { RefineCriterion } from '../../store/sql/refined.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { tableNamed, tableOf } from '../../store/tables/tables.ts';
import { writesOf } from '../changing/writes.ts';
import { parseCriteria } from '../filtering/refine-criteria.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { readsOf } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const FILTERS = tableOf(refineFilter);
const { fields } = refineFilter;

export const { scope, getMany, list } = readsOf(refineFilter);
const writes = writesOf(refineFilter);
export const { writeScope } = writes;

/** The workspace of a filter, and the class of objects that it selects. */
type Place = Pick<RefineFilterRow, 'workspaceId' | 'filterClass'>;

/** @throws AppError `invalid` blaming members, also of single criteria; `not_found` for the workspace; as `mutate` */
export async function create(ctx: Context, parent: Ref, input: Input, options: WriteOptions) {
  const checked = await withCriteria(
    ctx,
    input,
    'creation',
    async ({ filterClass = fields.filterClass.default }) => {
      if (attributesOf(filterClass) === undefined) throw unknownClass(input);
      return { workspaceId: parseRef('Workspace', 'workspaces', parent), filterClass };
    },
  );
  return writes.create(ctx, parent, checked, options);
}

/** @throws AppError `invalid` blaming members, also of single criteria; `not_found`; `precondition_failed`; as `mutate` */
export async function update(ctx: Context, ref: Ref, input: Input, options: WriteOptions) {
  const checked = await withCriteria(ctx, input, 'change', (_, tenancy) =>
    findById(ctx, FILTERS, tenancy, parseRef(FILTERS.title, FILTERS.name, ref)),
  );
  return writes.update(ctx, ref, checked, options);
}

/** @throws AppError `conflict` listing conditional splits that use it; `not_found`; `precondition_failed`; as `mutate` */
export async function remove(ctx: Context, ref: Ref, options: WriteOptions) {
  try {
    return await writes.remove(ctx, ref, options);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict' || error.cause === undefined) throw error;
    const { tenancy } = requireScope(ctx, writeScope);
    const id = parseRef(FILTERS.title, FILTERS.name, ref);
    const splits = await findSplitsByFilter(ctx, tenancy, id, MAX_LISTED_SPLITS + 1);
    if (splits.length === 0) throw error;
    const named = splits
      .slice(0, MAX_LISTED_SPLITS)
      .map((split) => `${split.publicId} of the funnel ${split.funnelPublicId}`)
      .join(', ');
    const more = splits.length > MAX_LISTED_SPLITS ? ' and others' : '';
    const message = `The saved filter is used by the conditional splits ${named}${more} and was not deleted.`;
    throw conflict('in_use', message, { cause: error });
  }
}

/** The maximum number of splits, and of ids, that an error lists. */
const MAX_LISTED_SPLITS = 100;
const MAX_LISTED_IDS = 5;

function unknownClass({ nameOf }: Input): AppError {
  const name = nameOf('filterClass', fields.filterClass);
  return invalid(name, mustBeOneOf(`${Object.keys(REFINE_ATTRIBUTES).join(' or ')}`));
}

/**
 * Checks the input of a creation or change, including its criteria.
 * @param find returns null if there is no such filter: the change itself reports that
 * @returns the input with the ids in criteria as they are stored
 */
async function withCriteria(
  ctx: Context,
  input: Input,
  moment: Moment,
  find: (given: Partial<RefineFilterRow>, tenancy: Tenancy) => Promise<Place | null>,
): Promise<Input> {
  const { tenancy } = requireScope(ctx, writeScope);
  const name = input.nameOf('criteria', fields.criteria);
  const { criterionForms } = input;
  const parsed = (filterClass: string, criteria: readonly Criterion[]) =>
    parseCriteria(filterClass, criteria, ctx.clock(), name, criterionForms);
  const given = writes.parse(input, moment, undefined, (some) => {
    const { filterClass = fields.filterClass.default, criteria } = some;
    const isKnown = moment === 'creation' && !('filterClass' in some && some.filterClass === undefined);
    if (isKnown && criteria?.every(isWhole) && attributesOf(filterClass) !== undefined)
      parsed(filterClass, criteria);
  });
  if (given.criteria === undefined) return input;
  const place = await find(given, tenancy);
  if (place === null) return input;
  const criteria = parsed(place.filterClass, given.criteria);
  const errors: FieldError[] = [];
  for (const [index, { attribute, test }] of criteria.entries()) {
    const table = attribute.idsOf && tableNamed(attribute.idsOf.table as NounTable);
    if (table === undefined || test.kind !== 'equal') continue;
    const ids = test.values as readonly bigint[];
    const rows = (await findByIds(ctx, table, tenancy, ids)) as ({ workspaceId?: bigint } | null)[];
    const missing = ids
      .filter((_, at) => rows[at]?.workspaceId !== place.workspaceId)
      .slice(0, MAX_LISTED_IDS);
    if (missing.length > 0)
      errors.push({ ...noSuch(table.title, missing), field: `${name}[${index}].value` });
  }
  if (errors.length > 0) throw invalidFields(errors);
  if (criterionForms === undefined) return input;
  const stored = given.criteria.map((one, index) => withStoredIds(one, criteria[index]));
  return { ...input, members: { ...(input.members as object), [name]: stored } };
}

/** Whether all members of a criterion have their form. */
const isWhole = (one: Criterion | undefined) =>
  one !== undefined && 'attribute' in one && !Object.values(one).includes(undefined);

/** A criterion with the ids that its test has, in the form of REST's JSON. */
function withStoredIds(one: Criterion, parsed: RefineCriterion | undefined): Criterion {
  if (parsed?.attribute.kind !== 'ids' || parsed.test.kind !== 'equal') return one;
  const ids = parsed.test.values.map((id) => (Number.isSafeInteger(Number(id)) ? Number(id) : String(id)));
  return { ...one, value: Array.isArray(one.value) ? ids : ids[0] };
}

/** Which filters of the registry to read, and in which order. */
export type RegistryQuery = Pick<PageRequest, 'order' | 'filter'>;

/** Larger than a client's page may be: the complete registry is read anyway. */
const CHUNK_SIZE = 10 * MAX_PAGE_SIZE;

/**
 * The complete registry in chunks of rows. The first chunk is read before this returns, so that errors occur before the response starts.
 * @throws AppError `not_found` for the workspace
 */
export async function listAll(
  ctx: Context,
  workspace: Ref,
  whole: RegistryQuery,
): Promise<AsyncIterable<readonly RefineFilterRow[]>> {
  const chunk = (after: bigint | null) =>
    list(ctx, workspace, { ...whole, size: CHUNK_SIZE, after, before: null, backward: false });
  return chunksFrom(await chunk(null), chunk);
}

async function* chunksFrom(
  first: Page<RefineFilterRow>,
  next: (after: bigint) => Promise<Page<RefineFilterRow>>,
) {
  let page = first;
  yield page.rows;
  for (let last = page.rows.at(-1); page.more && last !== undefined; last = page.rows.at(-1)) {
    page = await next(last.id);
    yield page.rows;
  }
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(refineFilter, { writes: { writeScope, create, update, remove } });
