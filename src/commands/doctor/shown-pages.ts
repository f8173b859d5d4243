// Whether pages say of themselves that a step of a funnel shows them exactly where one does: lists of pages are filtered by it.
import type { App } from '../../context.ts';
import { CORRECT_SHOWN_PAGES, countWronglyShown } from '../../store/inspection/shown-pages.ts';
import { type Finding, findingsOf } from './findings.ts';

const { ok, fail } = findingsOf('pages');

export async function checkShownPages({ store }: Pick<App, 'store'>): Promise<Finding[]> {
  const wrong = await countWronglyShown(store.pool);
  if (wrong === 0) return [ok('they say whether a step shows them, as the steps do')];
  return [
    fail(
      `${wrong} pages say another thing than the steps, so lists filtered by it have or lack them wrongly`,
      `a gateway of an older version, or something else, has changed the steps: once that runs no more, run "${CORRECT_SHOWN_PAGES}"`,
    ),
  ];
}
