// The computed columns of themes and styles.
import { style, theme } from '../../resources/themes.ts';
import { rowsAsJson } from '../sql/row-json.ts';
import { ownTable } from './table.ts';

export const themeTable = ownTable(theme, {
  computed: {
    styles: rowsAsJson(
      's.id, s.name',
      'styles s where s.workspace_id = $row_workspace and s.theme_id = t.id',
      's.id',
    ),
  },
});

export const styleTable = ownTable(style, { computed: { updatedAt: 't.created_at' } });
