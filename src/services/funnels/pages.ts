// Pages. A new page may get a step in a funnel. Clients send its products as members of that step, or of the page itself.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { blaming, invalid } from '../../errors.ts';
import type { Field, Fields } from '../../resources/description/fields.ts';
import { writableFields } from '../../resources/description/inputs.ts';
import { type PageRow, page } from '../../resources/pages.ts';
import { lockRow } from '../../store/changing/lock-row.ts';
import { findFunnelFor, PAGE_RULES, pathFor, removeProducts } from '../../store/changing/pages.ts';
import { type ChangingRow, Refused } from '../../store/changing/rules.ts';
import { parseId } from '../../store/sql/public-ids.ts';
import type { Transaction } from '../../store/store.ts';
import { pageTable } from '../../store/tables/pages.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { writesOf } from '../changing/writes.ts';
import { type Input, isObject, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { withoutNeeded } from '../reading/needed-scopes.ts';
import type { Reads } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { APPENDED_CODE } from './page-code.ts';
import { addPageStep, changePageStep, showOnStep } from './page-steps.ts';
import { ENTRY, onePlaceName, placeNames, type StepPlace, spotOf } from './step-places.ts';
import { TOP_LEVEL } from './workflow.ts';

type Page = PageRow & { id: bigint };

const PAGES = tableOf(pageTable);
const { inFunnel, onStep } = page.inputs;
const { productIds, bumps } = page.fields;

/** Where a new page is shown. */
interface InFunnel {
  readonly funnelId?: bigint | null;
  readonly afterShowPageStepId?: bigint | null;
  readonly showPageStepId?: bigint | null;
}

/** The place of a new page in a workflow. */
export interface PagePlace {
  /** The client's name for the id that leads to the funnel. */
  readonly name: string;
  /** null: it is that of the step. */
  readonly funnelId: bigint | null;
  /** The step by which the place is named. */
  readonly stepId: bigint | null;
  readonly at: StepPlace;
}

/** The place of a new page; null: it gets no step. @throws Refused for two steps, or for a number beside a step */
function placeOf({ given }: ChangingRow): PagePlace | null {
  const { place, inFunnel: requested, sortOrder } = (given?.inputs ?? {}) as PlaceInputs;
  if (place != null) return place;
  const { funnelId = null, afterShowPageStepId, showPageStepId } = requested ?? {};
  const stepId = afterShowPageStepId ?? showPageStepId ?? null;
  if (showPageStepId != null && showPageStepId !== stepId)
    throw new Refused('inFunnel', {
      code: 'not_allowed',
      message: 'names two steps for the new one to follow. Name one',
    });
  const isNone = funnelId === null && stepId === null;
  if (sortOrder !== undefined && (isNone || stepId !== null))
    throw new Refused('sortOrder', {
      code: 'not_allowed',
      message: 'needs a funnel, and no step for the new one to follow',
    });
  if (isNone) return null;
  const first = sortOrder === undefined ? ENTRY : { in: TOP_LEVEL, index: sortOrder };
  const at = stepId === null ? first : { after: stepId };
  return { name: sortOrder === undefined ? 'funnel' : 'sort_order', funnelId, stepId, at };
}

/** The inputs that say where a new page gets its step: `place` over GraphQL, the others over REST. */
interface PlaceInputs {
  readonly place?: PagePlace | null;
  readonly inFunnel?: InFunnel | null;
  readonly sortOrder?: number;
}

/** The input that concerns the step of a page. */
const STEP_INPUTS = ['place', 'inFunnel', 'sortOrder', 'ofStep', 'stepOrder'] as const;

const writes = writesOf(page, {
  ...PAGE_RULES,
  onRow: APPENDED_CODE,
  others: {
    ...PAGE_RULES.others,
    async parameters(tx, row) {
      const place = placeOf(row);
      const funnel = place && (await findFunnelFor(tx, row.workspaceId, place));
      return { path: pathFor(row.given?.columns ?? {}, funnel?.currentPath ?? '') };
    },
  },
  othersByModels: {
    isNeeded: (given) => STEP_INPUTS.some((property) => given[property] != null),
    make: (tx, row) => (row.before === null ? addStep(tx, row) : changeStep(tx, row)),
  },
});
export const { writeScope, remove } = writes;

const visibleReads = (reads: Reads<Page>) => withoutNeeded(reads, page);

/** Creates a page. @throws AppError as for every noun; `invalid` for a funnel or a step that the workspace does not have */
export async function create(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Page>> {
  // First, so that a caller without the scope learns nothing about the input.
  requireScope(ctx, writeScope);
  return writes.create(ctx, workspace, withProducts(input), options);
}

/** The field as one that must have a value. */
const required = ({ nullable: _, ...field }: Field): Field => ({ ...field, required: true });

/** The fields of a page whose content is given as HTML. */
export const CUSTOM_HTML_INPUT = {
  ...writableFields(page, 'creation'),
  markup: { ...required(page.fields.markup), description: 'The HTML of the page.' },
} as const satisfies Fields;

/** Creates a page from HTML. @throws AppError as `create` */
export async function createCustomHtml(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Page>> {
  requireScope(ctx, writeScope);
  writes.parse(withProducts(input), 'creation', CUSTOM_HTML_INPUT);
  return create(ctx, workspace, input, options);
}

/** The fields of a page that another server hosts. */
export const EXTERNAL_INPUT = {
  ...writableFields(page, 'creation'),
  externalUrl: {
    ...required(page.fields.externalUrl),
    restName: 'url',
    description: 'The http or https URL of the page on the other server.',
  },
} as const satisfies Fields;

/** Creates a page that another server hosts. @throws AppError as `create` */
export async function createExternal(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Page>> {
  requireScope(ctx, writeScope);
  const { nameOf } = input;
  const named: Input = {
    ...input,
    nameOf: (property, field) =>
      nameOf(property, property === 'externalUrl' ? EXTERNAL_INPUT.externalUrl : field),
  };
  writes.parse(withProducts(named), 'creation', EXTERNAL_INPUT);
  return create(ctx, workspace, named, options);
}

/** Changes a page. @throws AppError as for every noun */
export async function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Page>> {
  requireScope(ctx, writeScope);
  return writes.update(ctx, ref, withProducts(input), options);
}

/** The input of `removeProducts`. */
export const REMOVED_PRODUCTS_INPUT = {
  productIds: {
    ...productIds,
    required: true,
    description: 'The integer ids of the products to remove, bumps included.',
  },
} as const satisfies Fields;

/** Removes products from a page, bumps included; ignores products that it does not offer. @throws AppError as for every change */
export async function takeProducts(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Page>> {
  const by = requireScope(ctx, writeScope);
  const given = parseFields(REMOVED_PRODUCTS_INPUT, withIds(input), 'creation');
  const ids = given.productIds ?? [];
  return changeLocked(ctx, PAGES, ref, options, {
    by,
    action: 'products_removed',
    given: ids,
    lock: (tx, tenancy, id) => lockRow(tx, PAGES, tenancy, id),
    async make(tx, { workspaceId }, { id, productIds, bumps }) {
      const offered = [...productIds, ...bumps.map((bump) => bump.productId)];
      if (!ids.some((product) => offered.includes(product))) return null;
      await removeProducts(tx, workspaceId, id, ids);
      return {};
    },
  });
}

/** Adds the step of a new page to its funnel. */
async function addStep(tx: Transaction, row: ChangingRow) {
  const place = placeOf(row);
  if (place === null || row.id === null) return [];
  const { workspaceId } = row;
  const { name, at } = place;
  const hasPlace = row.given?.inputs?.['place'] != null;
  const funnel = await findFunnelFor(tx, workspaceId, place);
  if (funnel === null) {
    if (hasPlace)
      throw invalid(name, {
        code: 'not_found',
        message: 'there is no such funnel or step in this workspace',
      });
    throw new Refused('inFunnel', {
      code: 'not_found',
      message: 'must name a funnel of this workspace, one of its steps, or both',
    });
  }
  const names = { page: 'page', place: hasPlace ? placeNames(at, 'inFunnel') : onePlaceName(name) };
  return [(await addPageStep(tx, { workspaceId, id: funnel.id }, row.id, at, names)).record];
}

/** Makes a step show a page that is being changed, and moves the step of one among its siblings. */
async function changeStep(tx: Transaction, { workspaceId, id, given }: ChangingRow) {
  const { ofStep, stepOrder } = (given?.inputs ?? {}) as {
    readonly ofStep?: { readonly showPageStepId?: bigint | null } | null;
    readonly stepOrder?: number;
  };
  const wanted = ofStep?.showPageStepId ?? null;
  if (id === null || (wanted === null && stepOrder === undefined)) return [];
  const own = await tx.funnelStep.findFirst({
    where: { workspaceId, pageId: id, removedAt: null },
    select: { id: true },
  });
  const stepId = wanted ?? own?.id ?? null;
  if (stepId === null) throw new Refused('stepOrder', NEEDS_FUNNEL);
  if (own !== null && own.id !== stepId)
    throw new Refused('ofStep', { code: 'taken', message: 'must not name a second step for the page' });
  const funnel = await findFunnelFor(tx, workspaceId, { funnelId: null, stepId });
  if (funnel === null)
    throw new Refused('ofStep', { code: 'not_found', message: 'must name a step of this workspace' });
  const record = await changePageStep(tx, { workspaceId, id: funnel.id }, async (workflow) => {
    const { outline } = workflow;
    const names = { page: 'funnel', step: 'funnel' };
    if (wanted !== null) await showOnStep(workflow, tx, wanted, id, names);
    // Another page may have taken its place before the funnel was locked.
    if (outline.get(stepId)?.pageId !== id) throw new Refused('stepOrder', NEEDS_FUNNEL);
    if (stepOrder === undefined) return stepId;
    const { parentId, branch } = outline.spotOf(stepId);
    const step = outline.take(stepId);
    outline.put(
      step,
      spotOf(outline, { in: { parentId, branch }, index: stepOrder }, onePlaceName('sort_order')),
    );
    return stepId;
  });
  return record === null ? [] : [record];
}

const NEEDS_FUNNEL = { code: 'not_allowed', message: 'needs a page in a funnel' } as const;

const PRODUCT_FIELDS: Fields = { productIds, bumps };

/**
 * Moves the members of `onStep` up into the input, with names that keep their origin.
 * @throws AppError `invalid` for a member in both places, `bad_request` for products as members of the funnel
 */
function withProducts(input: Input): Input {
  const { members, nameOf } = input;
  const step = nameOf('onStep', onStep);
  requireNoneInFunnel(input, step);
  if (!isObject(members) || !isObject(members[step])) return withIds(input);
  const { [step]: inStep, ...others } = members;
  for (const [property, field] of Object.entries(PRODUCT_FIELDS)) {
    const name = nameOf(property, field);
    if (name in others && name in (inStep as object))
      throw invalid(name, {
        code: 'repeated',
        message: `is given twice, for the page and in ${step}. Give it once`,
      });
  }
  const moved = Object.fromEntries(
    Object.entries(inStep as object).map(([name, value]) => [`${step}.${name}`, value]),
  );
  return withIds({
    ...input,
    members: { ...others, ...moved },
    nameOf(property, field) {
      const name = nameOf(property, field);
      return property in PRODUCT_FIELDS && `${step}.${name}` in moved ? `${step}.${name}` : name;
    },
  });
}

/** Refuses products as members of the funnel: ignored ones would be missing on the page. @throws AppError `bad_request` */
function requireNoneInFunnel({ members, nameOf }: Input, step: string): void {
  const funnel = nameOf('inFunnel', inFunnel);
  const given = isObject(members) ? members[funnel] : undefined;
  for (const [property, field] of Object.entries(PRODUCT_FIELDS)) {
    const name = nameOf(property, field);
    if (!isObject(given) || !(name in given)) continue;
    const message = `is not a member of a funnel. Move \`${name}\` into \`${step}\``;
    throw blaming('bad_request', `${funnel}.${name}`, { code: 'unknown_field', message });
  }
}

/** Converts the product ids of an input to integers: REST accepts public ids and digits too. */
function withIds(input: Input): Input {
  const { members, nameOf, formOf } = input;
  const name = nameOf('productIds', productIds);
  const ids = isObject(members) ? members[name] : undefined;
  if (formOf !== undefined || !Array.isArray(ids)) return input;
  const parsed = ids.map((id: unknown) => (typeof id === 'string' ? (parseId('products', id) ?? id) : id));
  return { ...input, members: { ...(members as object), [name]: parsed } };
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(page, {
  shown: visibleReads,
  writes: { writeScope, create, update, remove },
});
