import type { ByteWriter } from '../rows/byte-writer.ts';
import { toInteger } from '../rows/json.ts';
import type { SplitDetail } from '../services/conditional-splits.ts';
import type { StepNode } from '../services/funnel-steps.ts';
import { writeRefineFilter } from './refine-filters.ts';

/** A split with the first page of each branch, matched before unmatched. */
export function writeSplit({ split, matched, unmatched, filter }: SplitDetail, out: ByteWriter): void {
  const condition = JSON.stringify({ filter_id: split.filterPublicId, is_setup: split.filterId !== null });
  out.addText(
    `{"id":${split.id},"public_id":"${split.publicId}","funnel_id":${split.funnelId},` +
      `"funnel_public_id":"${split.funnelPublicId}","condition":${condition.slice(0, -1)}`,
  );
  if (filter !== null) {
    out.addText(',"filter":');
    writeRefineFilter(filter, out);
  }
  out.addText(
    `},"branches":${JSON.stringify([viewBranch(matched), viewBranch(unmatched)])},` +
      `"created_at":"${split.createdAt.toISOString()}","updated_at":"${split.updatedAt.toISOString()}"}`,
  );
}

function viewBranch(step: StepNode | null) {
  if (step?.page == null) return { show_page_step: null, page: null };
  const { page } = step;
  return {
    show_page_step: {
      id: toInteger(step.id),
      public_id: step.publicId,
      name: step.name,
      current_path: page.currentPath,
    },
    page: { id: toInteger(page.id), public_id: page.publicId, name: page.name },
  };
}
