// The computed columns of an image.
import type { image } from '../../resources/images.ts';
import type { Special } from './table.ts';

export const imageTable: Special<typeof image> = {
  // Without `base_url`, which the gateway sets when it starts, it is a path.
  computed: { url: "(t.base_url || '/images/' || t.workspace_id || '/' || t.file_token)" },
};
