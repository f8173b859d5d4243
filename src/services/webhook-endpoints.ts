// Outgoing webhook endpoints of a workspace (spec §2).
import { WEBHOOK_ENDPOINTS } from '../store/tables.ts';
import { readsOf } from './reads.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(
  WEBHOOK_ENDPOINTS,
  'webhooks:read',
);
