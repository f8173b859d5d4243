// Images of a workspace: checks the sources of their files, and keeps images that are in use.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { conflict } from '../../errors.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import { type ImageRow, image } from '../../resources/images.ts';
import { IMAGE_RULES } from '../../store/changing/images.ts';
import { findUses } from '../../store/images/image-uses.ts';
import { findById } from '../../store/reading/rows.ts';
import { imageTable } from '../../store/tables/images.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { parseWebhookUrl } from '../webhooks/webhook-urls.ts';

const IMAGES = tableOf(imageTable);
/** The maximum number of objects that a refusal lists. */
const MAX_LISTED = 5;

const writes = writesOf(image, {
  ...IMAGE_RULES,
  parameters: ({ config }) => ({ base_url: new URL(config.authUrl).origin }),
});
export const { writeScope } = writes;

/** Creates an image, whose file is fetched soon after. @throws AppError as for every noun */
export async function create(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<ImageRow>> {
  requireSource(ctx, input, 'creation');
  return writes.create(ctx, workspace, input, options);
}

/** Changes an image. With another source its file is fetched again. @throws AppError as for every noun */
export async function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<ImageRow>> {
  requireSource(ctx, input, 'change');
  return writes.update(ctx, ref, input, options);
}

/** Deletes an image and its file. @throws AppError `conflict` listing the objects that show it, and as for every noun */
export async function remove(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
): Promise<ChangeAnswer<ImageRow, 'removed'>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const row = await findById(ctx, IMAGES, tenancy, parseRef(IMAGES.title, IMAGES.name, ref));
  const names = row === null ? [] : await findUses(ctx.store, row, MAX_LISTED + 1);
  if (names.length > 0) {
    const named = names.length > MAX_LISTED ? [...names.slice(0, MAX_LISTED), 'and others'] : names;
    throw conflict('in_use', `The image is used by ${named.join(', ')} and was not deleted.`);
  }
  return writes.remove(ctx, ref, options);
}

/** Refuses a source that can never be fetched, by the rule of webhooks' URLs. @throws AppError `invalid` */
function requireSource(ctx: Context, input: Input, moment: Moment): void {
  requireScope(ctx, writeScope);
  const name = input.nameOf('uploadSourceUrl', image.fields.uploadSourceUrl);
  writes.parse(input, moment, undefined, ({ uploadSourceUrl: url }) => {
    if (url !== undefined) parseWebhookUrl(url, name, ctx.config.webhooks.allowedNetworks);
  });
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(image, { writes: { writeScope, create, update, remove } });
