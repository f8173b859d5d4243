// `signing-key`: the keys that sign access tokens, for the operator of the gateway.
import type { App } from '../context.ts';
import { toTimestamp, toTimestampOrNull } from '../rows/json.ts';
import type { SigningKeyInfo } from '../services/operator/signing-keys.ts';
import { withTables } from './database.ts';
import { type Program, report, type Shell, table } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway signing-key list
  $ npx funnel-gateway signing-key rotate

After a leak: rotate --now, then remove the key that leaked; its tokens stop at once.`;

/** Loaded only when it is needed: every start of the program loads this file. */
const services = () => import('../services/operator/signing-keys.ts');

/** Adds the command and its three subcommands. */
export function addSigningKey(program: Program, shell: Shell): void {
  const signingKey = program.command('signing-key').addHelpText('after', EXAMPLES);
  const json = () => program.opts().json;
  signingKey
    .command('list')
    .description('list the published keys; creates the first one if there is none')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway signing-key list')
    .action(() =>
      withTables(shell, async ({ app }) => {
        const { list } = await services();
        const keys = await list(app);
        report(shell, json(), keys.map(toJson), keyTable(keys));
      }),
    );
  signingKey
    .command('rotate')
    .description(
      'create the next key: published at once, it signs after a minute; existing tokens stay valid',
    )
    .option('--now', 'sign with it at once; with the announced key if there is one')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway signing-key rotate')
    .action(({ now }) =>
      withTables(shell, async ({ app }) => {
        const { rotate } = await services();
        const key = await rotate(app, { now: now ?? false });
        report(shell, json(), toJson(key), rotatedText(app, key));
      }),
    );
  signingKey
    .command('remove')
    .description('delete a key that has leaked: every token that it signed is refused at once')
    .argument('<kid>', 'the key')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npx funnel-gateway signing-key remove NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    )
    .action((kid) =>
      withTables(shell, async ({ app }) => {
        const { remove } = await services();
        await remove(app, kid);
        report(shell, json(), { kid, removed: true }, `Signing key ${kid} is removed.`);
      }),
    );
}

function rotatedText(app: App, { kid, activeAt }: SigningKeyInfo): string {
  const when = activeAt > app.clock() ? `signs from ${toTimestamp(activeAt)} on` : 'signs from now on';
  return `Signing key ${kid} ${when}. The keys before it stay published until their last token has expired.`;
}

function keyTable(keys: readonly SigningKeyInfo[]): string {
  return table(
    ['KID', 'ALG', 'STATUS', 'SIGNS FROM', 'PUBLISHED UNTIL'],
    keys.map(({ kid, alg, status, activeAt, retiredAt }) => [
      kid,
      alg,
      status,
      toTimestamp(activeAt),
      toTimestampOrNull(retiredAt) ?? '-',
    ]),
  );
}

function toJson(key: SigningKeyInfo) {
  return {
    kid: key.kid,
    alg: key.alg,
    status: key.status,
    created_at: toTimestamp(key.createdAt),
    active_at: toTimestamp(key.activeAt),
    retired_at: toTimestampOrNull(key.retiredAt),
  };
}
