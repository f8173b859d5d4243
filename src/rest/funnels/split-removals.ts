// Removes a split over REST. The client chooses the branch to discard, and may ask for a preview only.
import { invalid, mustBeOneOf } from '../../errors.ts';
import type { Fields } from '../../resources/description/fields.ts';
import type { Writer } from '../../rows/resource-writer.ts';
import type { RemovalEffect, removalsOf } from '../../services/funnels/split-removals.ts';
import type { BranchChoice, BranchName } from '../../services/funnels/workflow.ts';
import { refusalOfOtherSpellings } from '../other-spellings.ts';
import { objectReply, outputOf } from '../responses.ts';
import { type Query, type ResponseForm, type Route, route } from '../route.ts';
import { PAGE_SUMMARY } from './funnel-steps.ts';

// A misspelled parameter must neither remove a split nor discard a branch.
const refuseMisspelledDryRun = refusalOfOtherSpellings(['dry_run'], /^dry|dryrun/);
const refuseMisspelledBranch = refusalOfOtherSpellings(['branch'], /branch/);

/** The branch whose pages are discarded, and whether the client only wants a preview. */
function removalQuery(branches: readonly BranchName[]): Query<{ branch: BranchChoice; isDry: boolean }> {
  const choices: readonly BranchChoice[] = [...branches, 'both'];
  return {
    parameters: [
      {
        name: 'branch',
        description:
          'The branch whose pages are discarded. The steps of the other branch replace the split. By default the pages of both branches are discarded.',
        schema: { type: 'string', enum: choices, default: 'both' },
      },
      {
        name: 'dry_run',
        description: 'Whether to return a preview of the removal, and change nothing.',
        schema: { type: 'boolean', default: false },
      },
    ],
    refusesBody: true,
    parse(query) {
      refuseMisspelledDryRun(query);
      refuseMisspelledBranch(query);
      const given = singleParameter(query, 'branch') ?? 'both';
      const branch = choices.find((choice) => choice === given);
      if (branch === undefined) throw invalid('branch', mustBeOneOf(`${branches.join(', ')} or both`));
      return { branch, isDry: parseDryRun(query) };
    },
  };
}

/** @throws AppError `invalid` for anything but `true` and `false` */
function parseDryRun(query: URLSearchParams): boolean {
  const value = singleParameter(query, 'dry_run') ?? 'false';
  if (!['true', 'false'].includes(value)) throw invalid('dry_run', mustBeOneOf('true or false'));
  return value === 'true';
}

/** The value of a parameter; undefined without one. @throws AppError `invalid` for a repeated parameter, which may be a mistake */
function singleParameter(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  if (more.length > 0)
    throw invalid(name, { code: 'repeated', message: 'is given more than once. Give it once' });
  return value;
}

const { schema, components, write } = outputOf({
  type: 'SplitRemovalPreview',
  description:
    'A preview of the removal of a split: the pages on its branches, in the order of the workflow.',
  fields: {
    promotedPages: { type: 'json', items: PAGE_SUMMARY, description: 'The pages that would be kept.' },
    discardedPages: {
      type: 'json',
      items: PAGE_SUMMARY,
      description: 'The pages that could no longer be read.',
    },
  } as const satisfies Fields,
});

/** 204, or 200 with the preview. */
const removedOrPreview: ResponseForm<RemovalEffect | null> = {
  answers: {
    200: 'With `dry_run=true`: a preview of the removal. Nothing is changed.',
    204: 'The split is removed.',
  },
  schema,
  components,
  reply: (effect) =>
    effect === null ? { status: 204, headers: {}, body: null } : objectReply(effect, write as Writer<object>),
};

/** The route that removes a split with one of these branches, or with both. */
export function removalRoute(
  spec: Pick<Route, 'path' | 'operationId' | 'summary' | 'resource' | 'scope' | 'representation'>,
  branches: readonly BranchName[],
  { preview, remove }: Pick<ReturnType<typeof removalsOf>, 'preview' | 'remove'>,
): Route {
  return route({
    ...spec,
    method: 'DELETE',
    query: removalQuery(branches),
    response: removedOrPreview,
    async handle({ ctx, params, query: { branch, isDry }, options }) {
      const { funnel_id: funnel = '', id: split = '' }: Readonly<Record<string, string>> = params;
      if (isDry) return preview(ctx, { funnel, split, branch }, options);
      await remove(ctx, { funnel, split, branch }, options);
      return null;
    },
  });
}
