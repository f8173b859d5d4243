// `webhook deliveries` and `webhook redeliver`: list deliveries, and make them due again.
import { type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings';
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import { toInteger, toTimestamp } from '../rows/json.ts';
import * as deliveries from '../services/operator/webhook-deliveries.ts';
import { withTables } from './database.ts';
import { report, type Shell, table } from './shell.ts';

const MAX_LISTED = 1_000;

const LIST_EXAMPLES = `
Examples:
  $ npx funnel-gateway webhook deliveries 1
  $ npx funnel-gateway webhook deliveries 1 --status failed --json`;
const REDELIVER_EXAMPLES = `
Examples:
  $ npx funnel-gateway webhook redeliver 42
  $ npx funnel-gateway webhook redeliver --endpoint 1 --since 2026-11-20T00:00:00Z`;

/** Adds the subcommands. */
export function addWebhookDeliveries(
  webhook: CommandUnknownOpts,
  shell: Shell,
  json: () => boolean | undefined,
): void {
  webhook
    .command('deliveries')
    .description("list an endpoint's deliveries, the newest first")
    .argument('<endpoint>', 'the endpoint, by id or public id')
    .option('--status <status>', `only those that are ${deliveries.DELIVERY_STATUSES.join(', ')}`)
    .option('--limit <count>', `how many, at most ${MAX_LISTED}`, parseLimit, 20)
    .addHelpText('after', LIST_EXAMPLES)
    .action((endpoint: string, options: { status?: string; limit: number }) =>
      withTables(shell, async ({ app }) => {
        const rows = await deliveries.list(app, endpoint, options);
        report(shell, json(), rows.map(toJson), deliveryTable(rows));
      }),
    );
  webhook
    .command('redeliver')
    .description('send a delivery again, whether it was delivered, has failed or was canceled')
    .argument('[delivery]', 'one delivery, by id or public id')
    .option('--endpoint <id>', 'with --since: everything that has failed at this endpoint')
    .option('--since <time>', 'since when, such as 2026-11-20T00:00:00Z')
    .addHelpText('after', REDELIVER_EXAMPLES)
    .action((delivery: string | undefined, options: { endpoint?: string; since?: string }) =>
      withTables(shell, async ({ app }) => {
        const { endpoint, since } = options;
        if (delivery !== undefined && endpoint === undefined && since === undefined) {
          await deliveries.redeliver(app, delivery);
          report(shell, json(), { redelivered: 1 }, `Delivery ${delivery} is due again.`);
        } else if (delivery === undefined && endpoint !== undefined && since !== undefined) {
          const count = await redeliverFailed(shell, app, endpoint, since);
          report(shell, json(), { redelivered: count }, `Due again: ${count} that had failed.`);
        } else throw new StartupError('Name one delivery, or an endpoint with --endpoint and --since.');
      }),
    );
}

async function redeliverFailed(shell: Shell, app: App, endpoint: string, since: string): Promise<number> {
  let due = 0;
  const onDue = (count: number) => {
    due = count;
    shell.signal.throwIfAborted();
  };
  try {
    return await deliveries.redeliverFailed(app, endpoint, since, onDue);
  } catch (error) {
    if (!shell.signal.aborted || due === 0) throw error;
    throw new StartupError(`Interrupted: ${due} are due again, and may be more with another start.`, {
      cause: error,
    });
  }
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MAX_LISTED)
    throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_LISTED}.`);
  return limit;
}

function deliveryTable(rows: readonly deliveries.WebhookDeliveryRow[]): string {
  if (rows.length === 0) return 'There are no deliveries.';
  return table(
    ['ID', 'CREATED', 'STATUS', 'ATTEMPTS', 'CODE', 'NEXT ATTEMPT', 'EVENT', 'TYPE'],
    rows.map((row) => [
      String(row.id),
      toTimestamp(row.createdAt),
      row.status,
      String(row.attemptCount),
      String(row.responseCode ?? '-'),
      row.nextAttemptAt === null ? '-' : toTimestamp(row.nextAttemptAt),
      String(row.eventId),
      row.eventTypeId,
    ]),
  );
}

function toJson(row: deliveries.WebhookDeliveryRow) {
  return {
    id: toInteger(row.id),
    public_id: row.publicId,
    endpoint_id: toInteger(row.endpointId),
    event_id: toInteger(row.eventId),
    event_type_id: row.eventTypeId,
    status: row.status,
    attempt_count: row.attemptCount,
    next_attempt_at: row.nextAttemptAt && toTimestamp(row.nextAttemptAt),
    response_code: row.responseCode,
    delivered_at: row.deliveredAt && toTimestamp(row.deliveredAt),
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}
