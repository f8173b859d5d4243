// The secrets that sign deliveries. They are shown once, when they are created, and stored encrypted with the secret key.
import { randomBytes } from 'node:crypto';
import { requireCaller } from '../../auth/scopes.ts';
import type { App, Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import {
  type WebhookEndpointRow,
  type WebhookEndpointWithSecretRow,
  webhookEndpointWithSecret,
} from '../../resources/webhook-endpoints.ts';
import { jsonOf, snapshotRows } from '../../rows/snapshot-rows.ts';
import { findSecret } from '../../store/webhooks/webhook-endpoints.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';

const PURPOSE = 'webhook secret';
const SECRET_BYTES = 32;

/** A new encrypted secret. */
export function newSecret({ keyring }: App): Uint8Array<ArrayBuffer> {
  return keyring.seal(PURPOSE, Buffer.from(randomBytes(SECRET_BYTES).toString('hex')));
}

/** Decrypts a secret. @throws Error when it was encrypted with an unknown secret key */
export function openSecret({ keyring }: App, sealed: Uint8Array): string {
  return Buffer.from(keyring.open(PURPOSE, sealed)).toString();
}

const toRow = snapshotRows<WebhookEndpointWithSecretRow>(webhookEndpointWithSecret);

/**
 * The result of a change that created a secret, with the secret; a retry gets the same.
 * @throws AppError `gone` when the secret was replaced since, or the endpoint was deleted
 */
export async function withSecret(
  ctx: Context,
  done: ChangeAnswer<WebhookEndpointRow>,
): Promise<ChangeAnswer<WebhookEndpointWithSecretRow>> {
  const { row } = done;
  const found = await findSecret(ctx, requireCaller(ctx).tenancy, row.id);
  if (found?.secret == null || found.secretChangedAt === null || found.secretChangedAt > row.updatedAt)
    throw new AppError('gone', 'The secret that this request made has since been replaced.');
  const member = `"webhook_secret":${JSON.stringify(openSecret(ctx, found.secret))}`;
  return { ...done, row: toRow(`${jsonOf(row)?.slice(0, -1)},${member}}`) };
}
