// The pages that clients can see, and the computed columns of a page: the step that shows it, and the products that it offers there.
import { page } from '../../resources/pages.ts';
import { rowsAsJson } from '../sql/row-json.ts';
import { isShownByStep, showingStep } from '../sql/showing-steps.ts';
import { ROW_WORKSPACE } from '../sql/statements.ts';
import { PAGE_URL } from './addresses.ts';
import { ownTable } from './table.ts';

const OF_PAGE = [ROW_WORKSPACE, 't.id'] as const;
/** The step `s` that shows the page `t`. */
const STEP = `funnel_steps s where ${isShownByStep('s', ...OF_PAGE)}`;
/** That step with its funnel `f`. */
const FUNNEL = showingStep(...OF_PAGE);

/** The products that a page offers. `offset 0` forces a look-up by id for each product. */
const OFFERED = `(select u.id, false as bump, null as bump_preheadline, u.place from unnest(t.product_ids) with ordinality u (id, place)
    union all select (b.item ->> 'product_id')::bigint, true, b.item ->> 'preheadline', cardinality(t.product_ids) + b.place
      from jsonb_array_elements(t.bumps) with ordinality b (item, place)) i
  cross join lateral (select p.* from products p where p.workspace_id = $row_workspace and p.id = i.id offset 0) p`;
const PRODUCTS = rowsAsJson('p.id, p.public_id, p.name, i.bump, i.bump_preheadline', OFFERED, 'i.place');

/** Whether a step shows the page. With `exists`, the planner would read all steps for a list of many pages. */
const IS_SHOWN = `((select true from ${STEP}) is not null)`;

export const pageTable = ownTable(page, {
  visible: 't.discarded_at is null',
  computed: {
    type: `(case when ${IS_SHOWN} then 'funnel_page' else 'landing_page' end)`,
    url: PAGE_URL,
    external: '(t.external_url is not null)',
    funnel: `(select to_json(v) from (select f.id, f.public_id, f.name from ${FUNNEL}) v)`,
    showPageStep: `(select to_json(v) from (select s.id, s.public_id, s.name, t.current_path, ${PRODUCTS} as products from ${STEP}) v)`,
  },
  pairs: { theme: { table: 'pages', row: 'id', value: 'theme_id', where: 'discarded_at is null' } },
  matches: {
    funnelIds: {
      ...{ table: 'funnel_steps', row: 'page_id', value: 'funnel_id' },
      where: `kind = 'page' and removed_at is null`,
    },
    funnelPages: { key: 't.is_shown' },
  },
});
