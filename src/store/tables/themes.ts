// The computed columns of themes and styles.
import type { style, theme } from '../../resources/themes.ts';
import { rowsAsJson } from '../sql/row-json.ts';
import type { Special } from './table.ts';

export const themeTable: Special<typeof theme> = {
  computed: {
    styles: rowsAsJson(
      's.id, s.name',
      'styles s where s.workspace_id = t.workspace_id and s.theme_id = t.id',
      's.id',
    ),
  },
};

export const styleTable: Special<typeof style> = { computed: { updatedAt: 't.created_at' } };
