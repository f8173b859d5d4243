// Funnels of a workspace. Their workflow is in funnel-steps.ts.

import { funnel } from '../resources/funnels.ts';
import { tableOf } from '../store/tables/tables.ts';
import { readsOf } from './reads.ts';

const FUNNELS = tableOf(funnel);

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(FUNNELS, 'funnels:read');
