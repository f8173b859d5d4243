// Pages of a workspace; discarded ones are not visible (DESIGN §8).
import { PAGES, type PageRow } from '../store/tables.ts';
import { readsOf } from './reads.ts';

export type { PageRow };

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(PAGES, 'funnels:read', {
  one: 'Page',
  parent: 'Workspace',
});
