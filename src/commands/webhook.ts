// `webhook`: for developers of webhook receivers, and for the operator who watches deliveries and sends them again.
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import * as deliveries from '../services/operator/webhook-deliveries.ts';
import { actionsOf, examples, fieldsOf, listed } from './operator.ts';
import { type Program, type Shell, wholeNumber } from './shell.ts';
import { addWebhookListen } from './webhook-listen.ts';

const MAX_LISTED = 1_000;
const EXAMPLES = `
Examples:
  $ npx funnel-gateway webhook listen --port 4100
  $ npx funnel-gateway webhook deliveries 1 --status failed
  $ npx funnel-gateway webhook redeliver --endpoint 1 --since 2026-11-20T00:00:00Z

How deliveries are verified in several languages: docs/webhooks.md.`;

/** Adds the command and its subcommands. */
export function addWebhook(program: Program, shell: Shell): void {
  const webhook = program.command('webhook').addHelpText('after', EXAMPLES);
  addWebhookListen(webhook, shell);
  const action = actionsOf(shell);
  webhook
    .command('deliveries')
    .description("list an endpoint's deliveries, the newest first")
    .argument('<endpoint>', 'the endpoint, by id or public id')
    .option('--status <status>', `only those that are ${deliveries.DELIVERY_STATUSES.join(', ')}`)
    .option('--limit <count>', `how many, at most ${MAX_LISTED}`, wholeNumber(1, MAX_LISTED), 20)
    .addHelpText(...examples('webhook deliveries 1', 'webhook deliveries 1 --status failed --json'))
    .action(
      action(async (app, endpoint, options) => {
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
      action(async (app, delivery, { endpoint, since }) => {
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
