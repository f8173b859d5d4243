// The computed columns of an image.
import { image } from '../../resources/images.ts';
import { sqlConstant } from '../connections/sql-constants.ts';
import { ownTable } from './table.ts';

export const imageTable = ownTable(image, {
  computed: { url: `(${sqlConstant('authOrigin')} || '/images/' || t.workspace_id || '/' || t.file_token)` },
});
