// Which branch of a conditional split a contact goes down, and which pages of a funnel it sees.
import { hash } from 'node:crypto';
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError, invalid, mustBe, notFound } from '../../errors.ts';
import { contact as contactNoun } from '../../resources/contacts.ts';
import { type BRANCHES, conditionalSplit } from '../../resources/funnel-steps.ts';
import { funnel } from '../../resources/funnels.ts';
import type { PageOfStep } from '../../resources/pages.ts';
import type { RefineFilterRow } from '../../resources/refine-filters.ts';
import { findMatches } from '../../store/reading/refined-counts.ts';
import { findByIds } from '../../store/reading/rows.ts';
import type { RefineCriteria } from '../../store/sql/refined.ts';
import { contactTable } from '../../store/tables/contacts.ts';
import { tableOf } from '../../store/tables/tables.ts';
import * as refineFilters from '../contacts/refine-filters.ts';
import { criteriaOf } from '../filtering/refining.ts';
import { readsOf } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import * as funnelSteps from './funnel-steps.ts';

const CONTACTS = tableOf(contactTable);
const splits = readsOf(conditionalSplit);
const funnels = readsOf(funnel);

/** The scopes for these: that of splits is the first. */
export const { scope } = splits;
export const contactScope = scopeFor(contactNoun, 'read');

/** Why a split sends everybody down the branch `unmatched`. */
type UndecidedReason = 'not_set_up' | 'filter_not_applicable';

/** The branch, and the reason if no filter has decided it. */
export interface Decision {
  readonly branch: (typeof BRANCHES)['conditional_split'][number];
  readonly reason: UndecidedReason | null;
}

/** The maximum number of filters that one statement evaluates. */
const MAX_FILTERS = 20;

/**
 * The branch of one split of the named funnel.
 * @param contact null: the client sent none
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
  if (contact === null) throw invalid('contact_id', mustBe('the integer or public id of a contact'));
  const contactId = parseRef(CONTACTS.title, CONTACTS.name, contact);
  const [decision] = await branchesOf(ctx, [{ contactId, splitId: id }]);
  if (decision == null) throw notFound(CONTACTS.title);
  return decision;
}

/** A split, and a contact that it decides about. */
export interface DecisionRequest {
  readonly contactId: bigint;
  readonly splitId: bigint;
}

/** The branch for each request; null if there is no such split or contact, or they are in different workspaces. */
export async function branchesOf(
  ctx: Context,
  asked: readonly DecisionRequest[],
): Promise<(Decision | null)[]> {
  requireScope(ctx, scope);
  const contacts = await contactsOf(
    ctx,
    asked.map(({ contactId }) => contactId),
  );
  const found = await splits.getMany(ctx, [...new Set(asked.map(({ splitId }) => splitId))]);
  const ofSplits = new Map(found.flatMap((split) => (split === null ? [] : [[split.id, split]])));
  const funnelIds = new Set([...ofSplits.values()].map(({ funnelId }) => funnelId));
  const ofFunnels = await funnels.getMany(ctx, [...funnelIds]);
  const workspaces = new Map(ofFunnels.flatMap((one) => (one === null ? [] : [[one.id, one.workspaceId]])));
  const decide = await evaluateSplits(ctx, [...contacts.values()], [...ofSplits.values()]);
  return asked.map(({ contactId, splitId }) => {
    const [contact, split] = [contacts.get(contactId), ofSplits.get(splitId)];
    if (contact === undefined || split === undefined) return null;
    return workspaces.get(split.funnelId) === contact.workspaceId ? decide(split, contactId) : null;
  });
}

/** A funnel, and a contact who goes through it. */
export interface PathRequest {
  readonly contactId: bigint;
  readonly funnelId: bigint;
}

/**
 * The pages that a funnel shows to a contact, in order, through all splits; null if there is no such funnel or contact, or they are in
 * different workspaces.
 */
export async function pathsOf(ctx: Context, asked: readonly PathRequest[]): Promise<(PageOfStep[] | null)[]> {
  const contacts = await contactsOf(
    ctx,
    asked.map(({ contactId }) => contactId),
  );
  const ofFunnels = Map.groupBy(asked, ({ funnelId }) => funnelId);
  const ids = [...ofFunnels.keys()];
  const [rows, trees] = await Promise.all([funnels.getMany(ctx, ids), funnelSteps.listMany(ctx, ids)]);
  const read = ids.map((id, index) => {
    const contactIds = ofFunnels.get(id)?.map(({ contactId }) => contactId) ?? [];
    return { id, contactIds, workspaceId: rows[index]?.workspaceId, steps: trees[index] ?? [] };
  });
  const paths = new Map<string, PageOfStep[] | null>();
  // Evaluates the funnels of the same contacts together: each filter once for each contact, and no filter without need.
  const together = Map.groupBy(read, ({ contactIds }) => contactIds.join());
  await Promise.all(
    [...together.values()].map(async (some) => {
      const own = (some[0]?.contactIds ?? []).flatMap((id) => contacts.get(id) ?? []);
      const steps = some.flatMap((one) => [...funnelSteps.walk(one.steps)]);
      const splits = steps.filter(({ kind }) => kind === 'conditional_split');
      const decide = await evaluateSplits(ctx, own, splits);
      for (const one of some)
        for (const { id, workspaceId } of own)
          if (workspaceId === one.workspaceId)
            paths.set(`${one.id} ${id}`, pathThrough(one.steps, id, decide));
    }),
  );
  return asked.map(({ contactId, funnelId }) => paths.get(`${funnelId} ${contactId}`) ?? null);
}

/** null for a contact that was deleted meanwhile. */
function pathThrough(
  steps: readonly funnelSteps.StepNode[],
  contactId: bigint,
  decide: Decide,
): PageOfStep[] | null {
  const pages: PageOfStep[] = [];
  const stack = steps.toReversed();
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (step.page !== null) pages.push(step.page);
    if (step.branches === undefined) continue;
    const branch = step.kind === 'split_test' ? variantFor(step, contactId) : decide(step, contactId)?.branch;
    if (branch === undefined) return null;
    stack.push(...(step.branches[branch] ?? []).toReversed());
  }
  return pages;
}

/**
 * The variant of a split test for a contact: always the same one, and over many contacts in the proportion of the weights. The
 * variants of different tests are independent.
 */
export function variantFor(
  { id, leftWeight }: { readonly id: bigint; readonly leftWeight: number | null },
  contactId: bigint,
): (typeof BRANCHES)['split_test'][number] {
  const share = Number.parseInt(hash('sha256', `${contactId}:${id}`).slice(0, 12), 16) / 2 ** 48;
  return share * 100 < (leftWeight ?? 0) ? 'left' : 'right';
}

interface ContactIds {
  readonly id: bigint;
  readonly workspaceId: bigint;
}

/** The contacts that the caller owns, by id. */
async function contactsOf(ctx: Context, ids: readonly bigint[]): Promise<Map<bigint, ContactIds>> {
  const { tenancy } = requireScope(ctx, contactScope);
  const rows = await findByIds(ctx, CONTACTS, tenancy, [...new Set(ids)], ['id', 'workspaceId']);
  return new Map(rows.flatMap((row) => (row === null ? [] : [[row.id, row]])));
}

type Split = { readonly filterId: bigint | null };

/** Decides for a contact at a split; null when the contact was deleted meanwhile. */
type Decide = (split: Split, contactId: bigint) => Decision | null;

/** Evaluates the filters of splits for contacts: each filter once, for all contacts of its workspace together. */
async function evaluateSplits(
  ctx: Context,
  contacts: readonly ContactIds[],
  of: readonly Split[],
): Promise<Decide> {
  const { tenancy } = requireScope(ctx, contactScope);
  const filterIds = [...new Set(of.flatMap(({ filterId }) => filterId ?? []))];
  const applied = (await refineFilters.getMany(ctx, filterIds)).flatMap((filter) => {
    const criteria = filter && contactCriteria(ctx, filter);
    return filter === null || criteria === null
      ? []
      : [{ filter, criteria, matches: new Map<bigint, boolean>() }];
  });
  for (const [workspaceId, own] of Map.groupBy(contacts, (contact) => contact.workspaceId)) {
    const list = { table: CONTACTS, tenancy, workspaceId };
    const ids = own.map(({ id }) => id);
    const filters = applied.filter(({ filter }) => filter.workspaceId === workspaceId);
    for (let from = 0; from < filters.length; from += MAX_FILTERS) {
      const some = filters.slice(from, from + MAX_FILTERS);
      const found = await findMatches(
        ctx,
        list,
        ids,
        some.map(({ criteria }) => criteria),
      );
      for (const [id, matches] of found)
        for (const [index, filter] of some.entries()) filter.matches.set(id, matches[index] === true);
    }
  }
  const ofFilters = new Map(applied.map(({ filter, matches }) => [filter.id, matches]));
  return ({ filterId }, contactId) => {
    if (filterId === null) return { branch: 'unmatched', reason: 'not_set_up' };
    const matches = ofFilters.get(filterId);
    if (matches === undefined) return { branch: 'unmatched', reason: 'filter_not_applicable' };
    const isMatch = matches.get(contactId);
    return isMatch === undefined ? null : { branch: isMatch ? 'matched' : 'unmatched', reason: null };
  };
}

/** The criteria of a filter of contacts; null where they cannot be applied. */
function contactCriteria(ctx: Context, filter: RefineFilterRow): RefineCriteria | null {
  try {
    return criteriaOf(ctx, filter, contactNoun.refinedBy);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid') return null;
    throw error;
  }
}
