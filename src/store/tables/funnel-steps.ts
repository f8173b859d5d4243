// The steps of funnels that are conditional splits, the computed columns of a split, and the steps that are read with their funnels.
import { conditionalSplit, funnelStep } from '../../resources/funnel-steps.ts';
import type { Columns, DescribedColumn } from '../../rows/columns.ts';
import { recordsBelow } from '../sql/row-json.ts';
import { columnsOf, ownTable, publicIdOf } from './table.ts';

/** The public id of the split's saved filter. */
const FILTER_PUBLIC_ID = publicIdOf('refine_filters', 't.filter_id');

/** The columns of any step. */
export const STEP_COLUMNS = columnsOf(funnelStep, { filterPublicId: FILTER_PUBLIC_ID });

/**
 * The columns from which the tree of a funnel's steps is built. Siblings share the first two. All three are adjacent and come after the id.
 */
export const TREE = ['parentId', 'branch', 'kind'];

/** The condition of steps `t` that are in a workflow. Removed steps are in no list of siblings. */
export const IN_WORKFLOW = 't.sibling_list is not null';
/** The order of one funnel's steps `t`: grouped by siblings, which are in order. */
export const STEP_ORDER = 't.sibling_list, t.position';

/** A column of a funnel with its steps and some of their properties; null if pages are requested, which are read separately. */
export function stepsOfFunnel(properties: readonly string[]): DescribedColumn | null {
  if (properties.includes('page')) return null;
  const isRead = (property: string) =>
    property === 'id' || TREE.includes(property) || properties.includes(property);
  const columns: Columns = Object.fromEntries(
    Object.entries(STEP_COLUMNS).filter(([property]) => isRead(property)),
  );
  const absent = [...Object.keys(STEP_COLUMNS).filter((property) => !isRead(property)), 'page'];
  const steps = { name: 'funnel_steps', columns, parent: { column: 'funnel_id' }, visible: IN_WORKFLOW };
  return { type: 'text', sql: recordsBelow(steps, STEP_ORDER), rows: { columns, absent, isList: true } };
}

export const splitTable = ownTable(conditionalSplit, {
  commitsInOrder: true,
  visible: "t.kind = 'conditional_split' and t.removed_at is null",
  computed: {
    filterPublicId: FILTER_PUBLIC_ID,
    funnelPublicId: publicIdOf('funnels', 't.funnel_id'),
  },
});
