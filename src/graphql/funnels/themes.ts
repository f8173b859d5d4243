// Adds to themes their styles, and to workspaces their site.
import { style, theme } from '../../resources/themes.ts';
import * as sites from '../../services/funnels/sites.ts';
import { builder } from '../builder.ts';
import { assumedRows } from '../field-options.ts';
import { nodeOf } from '../nouns.ts';
import { loadExisting } from '../references.ts';
import { defineSingle } from '../singles.ts';

const Style = nodeOf(style);

builder.objectField(nodeOf(theme).ref, 'styles', (t) =>
  t.field({
    type: [Style.ref],
    ...(Style.scope !== null && { scope: Style.scope }),
    description: 'The styles of the theme, the oldest first. Not paginated: a theme has few.',
    columns: ['styles'],
    rows: assumedRows(),
    idsIn: 'styles',
    resolve: ({ styles }, _args, ctx) =>
      loadExisting(
        ctx,
        Style,
        styles.map(({ id }) => BigInt(id)),
      ),
  }),
);

defineSingle(sites.service, sites.single, 'site', 'The settings that all pages of the workspace share.');
