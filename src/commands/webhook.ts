// `webhook`: for people who write receivers of webhooks. Each subcommand has a file of its own.
import type { Program, Shell } from './shell.ts';
import { addWebhookListen } from './webhook-listen.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway webhook listen --port 4100

How deliveries are verified in several languages: docs/webhooks.md.`;

/** Adds the command and its subcommands. */
export function addWebhook(program: Program, shell: Shell): void {
  const webhook = program.command('webhook').addHelpText('after', EXAMPLES);
  const json = () => program.opts().json;
  addWebhookListen(webhook, shell, json);
}
