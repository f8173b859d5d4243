// The pages on the branches of a split: code that creating and changing both kinds of split share.
import { AppError, blaming, type Fault, invalid, NOT_TWO_ITEMS } from '../../errors.ts';
import type { Transaction } from '../../store/store.ts';
import type { Workflow } from './locked-workflows.ts';
import { stepIds } from './locked-workflows.ts';
import { appendPages, type FreePage, firstPageIn, requireFreePages, setFirstPage } from './page-steps.ts';
import type { SiblingList } from './workflow.ts';

/** A client's pages for a branch: its first page, or pages to append. */
export interface BranchPages {
  readonly pageId?: bigint | undefined;
  readonly pageIds?: readonly bigint[] | undefined;
}

/** The client's names for the members of a split. */
export interface SplitNames {
  readonly filter: string;
  readonly branches: string;
  readonly page: string;
  readonly pages: string;
  /** A branch by its index, or a member of it. */
  pathOf(index: number, member?: 'page' | 'pages'): string;
  /** The member that is blamed for wrong weights, and what is wrong with it. */
  readonly weights: { readonly name: string; readonly fault: Fault };
}

/** Awaits the read of a split after its change. @throws AppError `gone` if it was removed since, for example before a retry */
export function readCreatedSplit<T>(title: string, split: Promise<T>): Promise<T> {
  return split.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError(
      'gone',
      `The ${title.toLowerCase()} that this request changed has since been removed.`,
    );
  });
}

/** @throws AppError `bad_request` for a branch with both members */
export function requireOneForm(branches: readonly BranchPages[], { page, pages, pathOf }: SplitNames) {
  for (const [index, { pageId, pageIds }] of branches.entries()) {
    const name = pathOf(index);
    const message = `must provide either ${page} or ${pages}, not both`;
    if (pageId !== undefined && pageIds !== undefined)
      throw blaming('bad_request', name, { code: 'not_allowed', message });
  }
}

/**
 * Puts pages on the branches of a split: the first page of a branch is set or replaced, more are appended.
 * @param lists the branches, in the order of `branches`; more elements are ignored
 * @throws AppError as `requireFreePages`
 */
export async function setBranchPages(
  workflow: Workflow,
  tx: Transaction,
  lists: readonly SiblingList[],
  branches: readonly BranchPages[],
  names: SplitNames,
): Promise<void> {
  const wanted = lists.flatMap((list, index) => {
    const { pageId, pageIds = [] } = branches[index] ?? {};
    const isSame = pageId !== undefined && firstPageIn(workflow, list)?.pageId === pageId;
    return [
      ...(pageId === undefined || isSame
        ? []
        : [{ list, id: pageId, name: names.pathOf(index, 'page'), isFirst: true }]),
      ...pageIds.map((id) => ({ list, id, name: names.pathOf(index, 'pages'), isFirst: false })),
    ];
  });
  const pages = await requireFreePages(tx, workflow.funnel.workspaceId, wanted);
  const nextId = await stepIds(tx, wanted.length);
  for (const [index, { list, isFirst }] of wanted.entries()) {
    const page = pages[index] as FreePage;
    if (isFirst) setFirstPage(workflow, list, page, nextId);
    else appendPages(workflow, list, [page], nextId);
  }
}

/** @throws AppError `invalid` unless there are exactly two */
export function requireTwo(given: readonly unknown[], name: string): void {
  if (given.length !== 2) throw invalid(name, NOT_TWO_ITEMS);
}
