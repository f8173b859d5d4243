// Removing a split over REST: which branch is discarded, and whether the client only wants to see what that would do.
import { invalid } from '../../errors.ts';
import { toRestObject } from '../../rows/resource-writer.ts';
import type { RemovalEffect } from '../../services/funnels/split-removals.ts';
import { refuseOtherSpellings } from '../other-spellings.ts';
import { JSON_HEADERS } from '../responses.ts';
import type { Query, ResponseForm } from '../route.ts';
import { objectSchema, schemaRef } from '../schemas.ts';
import { PAGE_SUMMARY } from './funnel-steps.ts';

/** What a client wants removed, and whether it only wants to see what that would do. */
export interface RemovalQuery<Choice> {
  readonly branch: Choice;
  readonly isDry: boolean;
}

/** @param parseBranch @throws AppError `invalid` blaming `branch` */
export function removalQuery<Choice extends string>(
  branches: readonly Choice[],
  parseBranch: (text: string) => Choice,
): Query<RemovalQuery<Choice>> {
  return {
    parameters: [
      {
        name: 'branch',
        description:
          'The branch whose pages are discarded. The steps of the other branch take the place of the split. Without this parameter, the pages of both branches are discarded.',
        schema: { type: 'string', enum: [...branches], default: 'both' },
      },
      {
        name: 'dry_run',
        description: 'Whether to show what the removal would do, and change nothing.',
        schema: { type: 'boolean', default: false },
      },
    ],
    refusesBody: true,
    parse(query) {
      // A slip must neither remove a split nor discard a branch.
      refuseOtherSpellings(query, ['dry_run'], /^dry|dryrun/i);
      refuseOtherSpellings(query, ['branch'], /branch/i);
      return { branch: parseBranch(onlyOne(query, 'branch') ?? 'both'), isDry: parseDryRun(query) };
    },
  };
}

/** @throws AppError `invalid` for anything but `true` and `false` */
function parseDryRun(query: URLSearchParams): boolean {
  const value = onlyOne(query, 'dry_run') ?? 'false';
  if (!['true', 'false'].includes(value)) throw invalid('dry_run', 'dry_run must be true or false.');
  return value === 'true';
}

/** A parameter, or undefined. What is given twice may be a slip too. @throws AppError `invalid` */
function onlyOne(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  if (more.length > 0) throw invalid(name, `${name} must be given once.`);
  return value;
}

const PAGES = { type: 'array', items: objectSchema(PAGE_SUMMARY) };

/** 204, or what the removal would do. @param description of the 204 */
export function removedOrShown(description: string): ResponseForm<RemovalEffect | null> {
  return {
    answers: { 200: 'With `dry_run=true`: what the removal would do. Nothing is changed.', 204: description },
    schema: schemaRef('SplitRemovalPreview'),
    components: () => ({
      SplitRemovalPreview: {
        description:
          'What removing a split would do to the pages on its branches, in the order of the workflow.',
        type: 'object',
        properties: {
          promoted_pages: { ...PAGES, description: 'The pages that would be kept.' },
          discarded_pages: { ...PAGES, description: 'The pages that could no longer be read.' },
        },
        required: ['promoted_pages', 'discarded_pages'],
      },
    }),
    reply(effect) {
      if (effect === null) return { status: 204, headers: {}, body: null };
      const shown = (pages: RemovalEffect['promotedPages']) =>
        pages.map((page) => toRestObject(page, PAGE_SUMMARY));
      const { promotedPages, discardedPages } = effect;
      const body = { promoted_pages: shown(promotedPages), discarded_pages: shown(discardedPages) };
      return { status: 200, headers: JSON_HEADERS, body: Buffer.from(JSON.stringify(body)) };
    },
  };
}
