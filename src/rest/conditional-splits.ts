import { parsePageQuery } from '../pagination.ts';
import * as splits from '../services/conditional-splits.ts';
import { writeSplit } from '../views/conditional-splits.ts';
import { objectReply, pageReply } from './pagination.ts';
import { param, type Route } from './route.ts';

const MEMBER_PATH = '/funnels/:funnel_id/conditional_split_steps/:id';

/** Spec §4 "DELETE conditional split step". */
const remove: Route['handle'] = async (request) => {
  await splits.remove(request.ctx, {
    funnel: param(request, 'funnel_id'),
    split: param(request, 'id'),
    branch: request.query.getAll('branch').at(-1),
  });
  return { status: 204, headers: {}, body: null };
};

export const conditionalSplitRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v2/funnels/:funnel_id/conditional_split_steps',
    async handle(request) {
      const { ctx, query, url } = request;
      const page = await splits.list(ctx, param(request, 'funnel_id'), () => parsePageQuery(query));
      const details = await splits.detailsOf(ctx, page.rows, {
        filters: query.getAll('expand[]').includes('filter'),
      });
      return pageReply({ rows: details, more: page.more }, writeSplit, url);
    },
  },
  {
    method: 'GET',
    path: `/api/v2${MEMBER_PATH}`,
    async handle(request) {
      const detail = await splits.getDetail(request.ctx, param(request, 'funnel_id'), param(request, 'id'));
      return objectReply(detail, writeSplit);
    },
  },
  { method: 'DELETE', path: `/api/v2${MEMBER_PATH}`, handle: remove },
  // The path as the specification prints it, without the prefix.
  { method: 'DELETE', path: MEMBER_PATH, handle: remove },
];
