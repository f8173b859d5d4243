// Lists of funnels. When the steps of the funnels are selected too, both are read together.
import { funnel } from '../resources/funnels.ts';
import { listFunnelsWithSteps } from '../services/funnel-steps.ts';
import { serviceOf } from '../services/nouns.ts';
import { columnsBelow } from './look-ahead.ts';

const funnels = serviceOf(funnel);

export const listFunnels: typeof funnels.listMany = (ctx, workspaceIds, page, projection = null) => {
  const steps = columnsBelow(projection, 'steps');
  return projection === null || steps === null
    ? funnels.listMany(ctx, workspaceIds, page, projection)
    : listFunnelsWithSteps(ctx, workspaceIds, page, { funnels: projection, steps });
};
