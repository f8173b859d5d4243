// Which branch of a conditional split a contact goes down, and which pages of a funnel it is shown.
import { hash } from 'node:crypto';
import { requireScope, scopeFor } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { type ContactRow, contact as contactNoun } from '../resources/contacts.ts';
import { type BRANCHES, conditionalSplit } from '../resources/funnel-steps.ts';
import { funnel } from '../resources/funnels.ts';
import type { PageOfStep } from '../resources/pages.ts';
import type { RefineFilterRow } from '../resources/refine-filters.ts';
import { findMatches } from '../store/reading/refined.ts';
import type { RefineCriteria } from '../store/sql/refined.ts';
import { tableOf } from '../store/tables/tables.ts';
import * as funnelSteps from './funnel-steps.ts';
import { readsOf, requireRow } from './reads.ts';
import * as refineFilters from './refine-filters.ts';
import { criteriaOf } from './refining.ts';
import { parseRef, type Ref } from './refs.ts';

const CONTACTS = tableOf(contactNoun);
const splits = readsOf(conditionalSplit);
const funnels = readsOf(funnel);

/** The scopes for these: that of splits is the first. */
export const { scope } = splits;
export const contactScope = scopeFor(contactNoun, 'read');

/** Why a split sends everybody down the branch `unmatched`. */
type Undecided = 'not_set_up' | 'filter_not_applicable';

/** The branch, and why, where no filter has decided it. */
export interface Decision {
  readonly branch: (typeof BRANCHES)['conditional_split'][number];
  readonly reason: Undecided | null;
}

/** At most so many filters are evaluated by one statement. */
const MAX_FILTERS = 20;

/**
 * The branch of one split of the named funnel.
 * @param contact null: the client named none
 * @throws AppError `not_found` when the funnel has no such split, or its workspace no such contact; `invalid` without a contact
 */
export async function branchOf(
  ctx: Context,
  funnel: Ref,
  split: Ref,
  contact: Ref | null,
): Promise<Decision> {
  requireScope(ctx, contactScope);
  const { id, funnelId } = await splits.get(ctx, split);
  if (parseRef('Funnel', 'funnels', funnel) !== funnelId) throw notFound(conditionalSplit.title);
  if (contact === null)
    throw invalid('contact_id', 'contact_id must be the id of a contact, integer or public.');
  const [decision] = await branchesOf(ctx, contact, [id]);
  if (decision == null) throw notFound(CONTACTS.title);
  return decision;
}

/**
 * The branches of splits, in the order of their ids; null where there is no such split, or not in the contact's workspace.
 * @throws AppError `not_found` for the contact
 */
export async function branchesOf(
  ctx: Context,
  contact: Ref,
  splitIds: readonly bigint[],
): Promise<(Decision | null)[]> {
  const row = await contactOf(ctx, contact);
  const found = await splits.getMany(ctx, splitIds);
  const ofFunnels = await funnels.getMany(ctx, [...new Set(found.flatMap((split) => split?.funnelId ?? []))]);
  const own = new Set(ofFunnels.flatMap((one) => (one?.workspaceId === row.workspaceId ? [one.id] : [])));
  const within = found.map((split) => (split !== null && own.has(split.funnelId) ? split : null));
  const decide = await decisionsFor(
    ctx,
    row,
    within.filter((split) => split !== null),
  );
  return within.map((split) => split && decide(split));
}

/**
 * The pages of a funnel that a contact is shown, in order, through all splits.
 * @throws AppError `not_found` for the funnel, and for a contact that is not in its workspace
 */
export async function pathOf(ctx: Context, funnel: Ref, contact: Ref): Promise<PageOfStep[]> {
  const row = await contactOf(ctx, contact);
  const { funnel: of, steps } = await funnelSteps.getStructure(ctx, funnel);
  if (of.workspaceId !== row.workspaceId) throw notFound(CONTACTS.title);
  const decide = await decisionsFor(
    ctx,
    row,
    [...funnelSteps.walk(steps)].filter(({ kind }) => kind === 'conditional_split'),
  );
  const pages: PageOfStep[] = [];
  const stack = steps.toReversed();
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (step.page !== null) pages.push(step.page);
    if (step.branches === undefined) continue;
    const branch = step.kind === 'split_test' ? variantFor(step, row.id) : decide(step).branch;
    stack.push(...(step.branches[branch] ?? []).toReversed());
  }
  return pages;
}

/**
 * The variant of a split test that a contact is shown: always the same one, and over many contacts in the proportion of the weights. What
 * one test shows a contact says nothing of what another does.
 */
export function variantFor(
  { id, leftWeight }: { readonly id: bigint; readonly leftWeight: number | null },
  contactId: bigint,
): (typeof BRANCHES)['split_test'][number] {
  const share = Number.parseInt(hash('sha256', `${contactId}:${id}`).slice(0, 12), 16) / 2 ** 48;
  return share * 100 < (leftWeight ?? 0) ? 'left' : 'right';
}

async function contactOf(ctx: Context, contact: Ref): Promise<ContactRow & { id: bigint }> {
  requireScope(ctx, scope);
  return requireRow(ctx, CONTACTS, requireScope(ctx, contactScope).tenancy, contact);
}

type Split = { readonly filterId: bigint | null };

/** Evaluates the filters of splits of the contact's workspace, each once. */
async function decisionsFor(
  ctx: Context,
  { id, workspaceId }: ContactRow & { id: bigint },
  of: readonly Split[],
): Promise<(split: Split) => Decision> {
  const { tenancy } = requireScope(ctx, contactScope);
  const filterIds = [...new Set(of.flatMap(({ filterId }) => filterId ?? []))];
  const filters = await refineFilters.getMany(ctx, filterIds);
  const decisions = new Map<bigint, Decision>();
  const applied: { id: bigint; criteria: RefineCriteria }[] = [];
  for (const filter of filters) {
    const criteria = filter && criteriaIfAny(ctx, filter);
    if (filter !== null && criteria !== null) applied.push({ id: filter.id, criteria });
  }
  for (let from = 0; from < applied.length; from += MAX_FILTERS) {
    const some = applied.slice(from, from + MAX_FILTERS);
    const list = { table: CONTACTS, tenancy, workspaceId };
    const matches = await findMatches(
      ctx,
      list,
      id,
      some.map(({ criteria }) => criteria),
    );
    // Deleted since it was found.
    if (matches === null) throw notFound(CONTACTS.title);
    for (const [index, filter] of some.entries())
      decisions.set(filter.id, { branch: matches[index] ? 'matched' : 'unmatched', reason: null });
  }
  return ({ filterId }) =>
    filterId === null
      ? { branch: 'unmatched', reason: 'not_set_up' }
      : (decisions.get(filterId) ?? { branch: 'unmatched', reason: 'filter_not_applicable' });
}

/** The criteria of a filter of contacts; null where they cannot be applied. */
function criteriaIfAny(ctx: Context, filter: RefineFilterRow): RefineCriteria | null {
  try {
    return criteriaOf(ctx, filter, contactNoun.refinedBy);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid') return null;
    throw error;
  }
}
