// `webhook listen`: a receiver on this machine only, which prints and verifies webhooks.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { StartupError } from '../errors.ts';
import { verify } from '../jobs/delivery/signatures.ts';
import { readBytes } from '../messages/body.ts';
import { toReceived } from './received-webhooks.ts';
import { aborted, report, type Shell, wholeNumber } from './shell.ts';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 5_000_000;
const TOO_LARGE = new Error('too large');

const HELP = `
Examples:
  $ npx funnel-gateway webhook listen --port 4100
  $ WEBHOOK_SECRET=4f1c... npx funnel-gateway webhook listen --json
  $ npx funnel-gateway webhook listen --status 503

The gateway sends to this machine only when it is started with WEBHOOK_ALLOWED_NETWORKS=127.0.0.1/32. Ctrl-C ends it. With --json the
first line names the address, and each delivery is a line of its own.`;

interface ListenOptions {
  readonly port: number;
  readonly secret?: string | undefined;
  readonly status: number;
}

/** Adds the subcommand. */
export function addWebhookListen(webhook: CommandUnknownOpts, shell: Shell): void {
  webhook
    .command('listen')
    .description('receive webhooks on this machine; print each, and whether its signatures are valid')
    .option('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 4_100)
    .option(
      '--secret <secret>',
      "the endpoint's webhook_secret; WEBHOOK_SECRET keeps it off the command line",
    )
    .option('--status <code>', 'HTTP status to answer', wholeNumber(200, 599), 200)
    .addHelpText('after', HELP)
    .action((options: ListenOptions) => listen(shell, options));
}

async function listen(shell: Shell, { port, secret, status }: ListenOptions) {
  const { config, secrets } = shell.settings();
  const { headerPrefix: prefix } = config.webhooks;
  const key = secret ?? secrets.webhookSecret;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBytes(request, MAX_BODY_BYTES, () => TOO_LARGE).catch(nullOrThrow);
    const answered = body === null ? 413 : request.method === 'POST' ? status : 405;
    response.writeHead(answered, { 'content-type': 'text/plain', connection: 'close' }).end();
    if (body === null) return;
    const { headers } = request;
    const now = new Date();
    const checked = verify({ prefix, headers, body, secret: key ?? '', now });
    const facts = { request, body, prefix, now, answered, checked };
    const received = toReceived({ ...facts, isChecked: key !== undefined });
    report(shell, received.json, received.text);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await once(server.listen(port, HOST), 'listening').catch(({ code, message }: NodeJS.ErrnoException) => {
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code ?? message})`;
    throw new StartupError(`Port ${port} on ${HOST} ${why}. Choose another with --port.`);
  });
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const hint = key === undefined ? 'Signatures are not checked: give --secret or WEBHOOK_SECRET.' : '';
  report(shell, { url }, `Listening on ${url}, answering ${status}. Ctrl-C ends it. ${hint}\n`);
  await aborted(shell.signal);
  server.close();
  server.closeAllConnections();
}

function nullOrThrow(error: unknown): null {
  if (error !== TOO_LARGE) throw error;
  return null;
}
