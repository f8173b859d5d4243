// Funnels of a workspace. Their workflow is in funnel-steps.ts.
import { FUNNELS } from '../store/reading/tables.ts';
import { readsOf } from './reads.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(FUNNELS, 'funnels:read');
