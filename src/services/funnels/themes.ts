// Themes of a workspace, one of which is the default.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { PageRequest } from '../../pagination.ts';
import { type ThemeRow, theme } from '../../resources/themes.ts';
import { lockRow } from '../../store/changing/lock-row.ts';
import { makeDefault } from '../../store/changing/themes.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { themeTable } from '../../store/tables/themes.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Reads } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { single as site } from './sites.ts';

type Theme = ThemeRow & { id: bigint };

const THEMES = tableOf(themeTable);

export const { writeScope, update } = writesOf(theme);

const isFirst = ({ after, before }: Pick<PageRequest, 'after' | 'before'>) =>
  after === null && before === null;

/** Creates what is missing if the first page is empty: an earlier version may have created the workspace without its site and theme. */
const withDefaults = (reads: Reads<Theme>): Reads<Theme> => ({
  ...reads,
  async list(ctx, parent, page, projection) {
    const found = await reads.list(ctx, parent, page, projection);
    if (found.rows.length > 0 || !isFirst(page)) return found;
    await site.getOf(ctx, parent);
    return reads.list(ctx, parent, page, projection);
  },
  async listMany(ctx, parentIds, page, projection) {
    const found = await reads.listMany(ctx, parentIds, page, projection);
    const bare = isFirst(page) ? parentIds.filter((_, index) => found[index]?.rows.length === 0) : [];
    if (bare.length === 0) return found;
    await site.getManyOf(ctx, bare);
    return reads.listMany(ctx, parentIds, page, projection);
  },
});

/** Makes a theme the default of its workspace, in place of the previous one. @throws AppError as every change does */
export async function setDefault(
  ctx: Context,
  ref: Ref,
  _input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<Theme>> {
  return changeLocked(ctx, THEMES, ref, options, {
    by: requireScope(ctx, writeScope),
    action: 'made_default',
    lock: (tx, tenancy, id) => lockRow(tx, THEMES, tenancy, id),
    make: async (tx, { workspaceId }, { id, isDefault }) =>
      isDefault ? null : { children: await makeDefault(tx, workspaceId, id) },
  });
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(theme, { shown: withDefaults, actions: { setDefault } });
