// Themes, which determine the look of pages, and their styles.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import type { Fields } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { workspace } from './workspaces.ts';

const STYLE = { type: 'Style', title: 'Style', table: 'styles' } as const;
const STYLE_NAME = { type: 'text', description: 'The name of the style.' } as const;

/** A style in its theme. */
const STYLE_IN_THEME = { id: IDS.id, name: STYLE_NAME } as const satisfies Fields;

export const theme = describe({
  type: 'Theme',
  title: 'Theme',
  table: 'themes',
  number: 44n,
  parent: workspace,
  plural: 'themes',
  path: 'themes',
  scope: 'funnels',
  verbs: ['update'],
  actions: { setDefault: { summary: 'Makes a theme the default of its workspace' } },
  wrapper: 'theme',
  description:
    'The look of pages of a workspace, in one of the theme’s styles. A new workspace has one theme.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { type: 'text', description: 'The name of the theme.' },
    customName: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The workspace’s own name for the theme, or null.',
    },
    currentStyleId: {
      type: 'int8',
      nullable: true,
      writable: 'always',
      refers: STYLE,
      description: 'The integer id of the current style, which is one of the theme’s styles.',
    },
    isDefault: {
      type: 'bool',
      restName: 'default',
      description: 'Whether pages without a theme of their own use this theme.',
    },
    createdAt: { type: 'timestamp', description: 'When the theme was created.' },
    updatedAt: { type: 'timestamp', description: 'When the theme was last changed.' },
    styles: {
      type: 'json',
      items: STYLE_IN_THEME,
      description: 'The styles of the theme, the oldest first.',
    },
  },
  topic: 'theme',
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export interface ThemeRow extends Row<typeof theme> {}

export const style = describe({
  ...STYLE,
  hasLookUp: false,
  number: 45n,
  parent: workspace,
  plural: 'styles',
  path: 'styles',
  scope: 'funnels',
  description: 'A style of a theme: colours and fonts.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: STYLE_NAME,
    themeId: { type: 'int8', refers: theme, description: 'The integer id of its theme.' },
    createdAt: { type: 'timestamp', description: 'When the style was created.' },
    updatedAt: { type: 'timestamp', description: 'When the style was last changed.' },
  },
  unchanging: true,
});

export interface StyleRow extends Row<typeof style> {}
