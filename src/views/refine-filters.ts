import type { RefineFilterRow } from '../services/refine-filters.ts';
import { writer } from './writer.ts';

export const writeRefineFilter = writer<RefineFilterRow>({
  id: 'id',
  public_id: 'publicId',
  workspace_id: 'workspaceId',
  name: 'name',
  filter_class: 'filterClass',
  conjunction: 'conjunction',
  criteria: 'criteria',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
});
