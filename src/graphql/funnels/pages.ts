// Adds to pages their funnel and products, and the mutation that removes products from one.

import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { PAGE_OF_STEP, type PageOfStep, type PageRow, page as pageNoun } from '../../resources/pages.ts';
import { product as productNoun } from '../../resources/products.ts';
import * as pages from '../../services/funnels/pages.ts';
import { builder } from '../builder.ts';
import type { GraphContext } from '../context.ts';
import { lookAhead, type ResolveInfo } from '../look-ahead.ts';
import { defineChange } from '../mutations.ts';
import { nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';

const Funnel = nodeOf(funnelNoun);
const Page = nodeOf(pageNoun);
const { bumps } = pageNoun.fields;

/** The page of a step with all selected fields. Workflows contain only some fields of a page; if others are selected, this reads it. */
export async function completePage(
  ctx: GraphContext,
  page: PageOfStep | PageRow,
  info: ResolveInfo,
): Promise<PageRow | null> {
  if ('type' in page) return page;
  const needed = lookAhead(info);
  const isRead = needed?.every((property) => property in PAGE_OF_STEP) ?? false;
  return isRead ? (page as PageRow) : Page.load(ctx, page.id, needed);
}

/** The same for several pages, without those that were deleted meanwhile. */
export async function completePages(
  ctx: GraphContext,
  pages: readonly (PageOfStep | PageRow)[],
  info: ResolveInfo,
): Promise<PageRow[]> {
  const loaded = await Promise.all(pages.map((page) => completePage(ctx, page, info)));
  return loaded.filter((page) => page !== null);
}

const PageBump = objectType(
  bumps.itemType,
  'An order bump: a further product that a page offers.',
  bumps.items,
  (t) => ({
    product: nodeOf(productNoun).field(t, 'productId', 'The product that the order form offers in addition.'),
  }),
);

builder.objectFields(Page.ref, (t) => ({
  funnel: t.field({
    type: Funnel.ref,
    nullable: true,
    ...(Funnel.scope !== null && { scope: Funnel.scope }),
    description: 'The funnel that shows the page, or null.',
    columns: ['funnel'],
    resolve: ({ funnel }, _args, ctx, info) => funnel && Funnel.load(ctx, BigInt(funnel.id), lookAhead(info)),
  }),
  ...objectFields(t, pageNoun.fields, { bumps: PageBump }),
}));

defineChange('removePageProducts', Page, {
  description:
    'Removes products from a page, including order bumps. Products that the page does not offer are ignored.',
  scope: pages.writeScope,
  fields: pages.REMOVED_PRODUCTS_INPUT,
  moment: 'creation',
  change: pages.takeProducts,
});
