// Pages of a workspace; discarded ones are not visible (DESIGN §8).
import { PAGES } from '../store/reading/tables.ts';
import { readsOf } from './reads.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(PAGES, 'funnels:read');
