// The computed columns of an image.
import type { image } from '../../resources/images.ts';
import { sqlConstant } from '../connections/sql-constants.ts';
import type { Special } from './table.ts';

export const imageTable: Special<typeof image> = {
  computed: { url: `(${sqlConstant('authOrigin')} || '/images/' || t.workspace_id || '/' || t.file_token)` },
};
