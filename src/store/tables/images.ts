// The computed columns of an image.
import { image } from '../../resources/images.ts';
import { sqlConstant } from '../connections/sql-constants.ts';
import { ownTable } from './table.ts';

/** SQL of the URL of an image. @param row its alias */
export const imageUrl = (row: string): string =>
  `(${sqlConstant('authOrigin')} || '/images/' || ${row}.workspace_id || '/' || ${row}.file_token)`;

export const imageTable = ownTable(image, { computed: { url: imageUrl('t') } });
