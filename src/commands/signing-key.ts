// `signing-key`: the keys that sign access tokens, for the operator of the gateway.
import type { App } from '../context.ts';
import { toTimestamp } from '../rows/json.ts';
import { list, remove, rotate, type SigningKeyInfo } from '../services/operator/signing-keys.ts';
import { actionsOf, examples, fieldsOf, listed } from './operator.ts';
import type { Program, Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway signing-key list
  $ npx funnel-gateway signing-key rotate

After a leak: rotate --now, then remove the key that leaked; its tokens stop at once.`;

/** Adds the command and its three subcommands. */
export function addSigningKey(program: Program, shell: Shell): void {
  const signingKey = program.command('signing-key').addHelpText('after', EXAMPLES);
  const action = actionsOf(shell);
  signingKey
    .command('list')
    .description('list the published keys; creates the first one if there is none')
    .addHelpText(...examples('signing-key list'))
    .action(
      action(async (app) =>
        listed((await list(app)).map(toJson), '', [
          ...(['kid', 'alg', 'status'] as const),
          ['SIGNS FROM', (key) => key.active_at],
          ['PUBLISHED UNTIL', (key) => key.retired_at],
        ]),
      ),
    );
  signingKey
    .command('rotate')
    .description(
      'create the next key: published at once, it signs after a minute; existing tokens stay valid',
    )
    .option('--now', 'sign with it at once; with the announced key if there is one')
    .addHelpText(...examples('signing-key rotate'))
    .action(
      action(async (app, { now }) => {
        const key = await rotate(app, { now: now ?? false });
        return [toJson(key), rotatedText(app, key)];
      }),
    );
  signingKey
    .command('remove')
    .description('delete a key that has leaked: every token that it signed is refused at once')
    .argument('<kid>', 'the key')
    .addHelpText(...examples('signing-key remove NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'))
    .action(
      action(async (app, kid) => {
        await remove(app, kid);
        return [{ kid, removed: true }, `Signing key ${kid} is removed.`];
      }),
    );
}

function rotatedText(app: App, { kid, activeAt }: SigningKeyInfo): string {
  const when = activeAt > app.clock() ? `signs from ${toTimestamp(activeAt)} on` : 'signs from now on';
  return `Signing key ${kid} ${when}. The keys before it stay published until their last token has expired.`;
}

function toJson(key: SigningKeyInfo) {
  return fieldsOf(key, 'kid', 'alg', 'status', 'createdAt', 'activeAt', 'retiredAt');
}
