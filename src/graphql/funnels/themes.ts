// Adds to themes their styles, and to workspaces their site.
import { site } from '../../resources/sites.ts';
import { style, theme } from '../../resources/themes.ts';
import { workspace } from '../../resources/workspaces.ts';
import * as sites from '../../services/funnels/sites.ts';
import { builder } from '../builder.ts';
import { loadBatched } from '../context.ts';
import { assumedRows } from '../field-options.ts';
import { defineChanges } from '../mutations.ts';
import type { NodeType } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { loadExisting } from '../references.ts';

const Style = nodeOf(style);
const Site = nodeOf(site);
const Workspace = nodeOf(workspace);

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

// A workspace has one site, and no list of them.
defineChanges(Site, site, sites.service, Workspace as NodeType<object> as typeof Site);

builder.objectField(Workspace.ref, 'site', (t) =>
  t.field({
    type: Site.ref,
    nullable: true,
    scope: sites.scope,
    description: 'The settings that all pages of the workspace share.',
    columns: ['id'],
    resolve: ({ id }, _args, ctx) =>
      loadBatched(ctx, 'sites.of_workspaces', id, (ids) => sites.getManyOf(ctx, ids)),
  }),
);
