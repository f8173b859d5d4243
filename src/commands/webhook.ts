// `webhook`: for developers of webhook receivers, and for the operator who watches deliveries. Each subcommand has its own file.
import type { Program, Shell } from './shell.ts';
import { addWebhookDeliveries } from './webhook-deliveries.ts';
import { addWebhookListen } from './webhook-listen.ts';

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
  addWebhookDeliveries(webhook, shell);
}
