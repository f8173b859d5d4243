// Pages of a workspace; discarded ones are not visible (DESIGN §8).

import { page } from '../resources/pages.ts';
import { tableOf } from '../store/tables/tables.ts';
import { readsOf } from './reads.ts';

const PAGES = tableOf(page);

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(PAGES, 'funnels:read');
