// `webhook deliveries` and `webhook redeliver`: list deliveries, and make them due again.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import * as deliveries from '../services/operator/webhook-deliveries.ts';
import { actionsOf, examples, fieldsOf, listed } from './operator.ts';
import { type Shell, wholeNumber } from './shell.ts';

const MAX_LISTED = 1_000;

/** Adds the subcommands. */
export function addWebhookDeliveries(webhook: CommandUnknownOpts, shell: Shell): void {
  const action = actionsOf(shell);
  webhook
    .command('deliveries')
    .description("list an endpoint's deliveries, the newest first")
    .argument('<endpoint>', 'the endpoint, by id or public id')
    .option('--status <status>', `only those that are ${deliveries.DELIVERY_STATUSES.join(', ')}`)
    .option('--limit <count>', `how many, at most ${MAX_LISTED}`, wholeNumber(1, MAX_LISTED), 20)
    .addHelpText(...examples('webhook deliveries 1', 'webhook deliveries 1 --status failed --json'))
    .action(
      action(async (app, endpoint: string, options: { status?: string; limit: number }) => {
        const rows = await deliveries.list(app, endpoint, options);
        return listed(rows.map(toJson), 'There are no deliveries.', [
          'id',
          ['CREATED', ({ created_at }) => created_at],
          'status',
          ['ATTEMPTS', ({ attempt_count }) => attempt_count],
          ['CODE', ({ response_code }) => response_code],
          ['NEXT ATTEMPT', ({ next_attempt_at }) => next_attempt_at],
          ['EVENT', ({ event_id }) => event_id],
          ['TYPE', ({ event_type_id }) => event_type_id],
        ]);
      }),
    );
  webhook
    .command('redeliver')
    .description('send a delivery again, whether it was delivered, has failed or was canceled')
    .argument('[delivery]', 'one delivery, by id or public id')
    .option('--endpoint <id>', 'with --since: everything that has failed at this endpoint')
    .option('--since <time>', 'since when, such as 2026-11-20T00:00:00Z')
    .addHelpText(
      ...examples('webhook redeliver 42', 'webhook redeliver --endpoint 1 --since 2026-11-20T00:00:00Z'),
    )
    .action(
      action(async (app, delivery: string | undefined, options: { endpoint?: string; since?: string }) => {
        const { endpoint, since } = options;
        if (delivery !== undefined && endpoint === undefined && since === undefined) {
          await deliveries.redeliver(app, delivery);
          return [{ redelivered: 1 }, `Delivery ${delivery} is due again.`];
        }
        if (delivery !== undefined || endpoint === undefined || since === undefined)
          throw new StartupError('Name one delivery, or an endpoint with --endpoint and --since.');
        const count = await redeliverFailed(shell, app, endpoint, since);
        return [{ redelivered: count }, `Due again: ${count} that had failed.`];
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

function toJson(row: deliveries.WebhookDeliveryRow) {
  return fieldsOf(
    row,
    ...(['id', 'publicId', 'endpointId', 'eventId', 'eventTypeId', 'status', 'attemptCount'] as const),
    ...(['nextAttemptAt', 'responseCode', 'deliveredAt', 'createdAt', 'updatedAt'] as const),
  );
}
