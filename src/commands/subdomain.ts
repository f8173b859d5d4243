// `team subdomain` and `workspace subdomain`.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { setSubdomain } from '../services/operator/subdomains.ts';
import { withUnmigrated } from './database.ts';
import { actionsOf, examples, fieldsOf } from './operator.ts';
import type { Shell } from './shell.ts';

/** Adds the subcommand. It works before a migration, too: a migration may require this change. */
export function addSubdomain(parent: CommandUnknownOpts, shell: Shell, noun: 'team' | 'workspace'): void {
  const action = actionsOf(shell, withUnmigrated);
  parent
    .command('subdomain')
    .description(`change a ${noun}'s subdomain at once; its old host stops working`)
    .argument(`<${noun}>`, `the ${noun}, by id or public id`)
    .argument('<label>', 'its host below SERVICE_HOST, unique among workspaces and teams')
    .addHelpText(...examples(`${noun} subdomain 1 acme`))
    .action(
      action(async (app, ref: string, label: string) => {
        const row = await setSubdomain(app, `${noun}s`, ref, label);
        const host = `${row.subdomain}.${app.config.serviceHost}`;
        const data = fieldsOf(row, 'id', 'publicId', 'name', 'subdomain');
        return [data, `The host of ${noun} ${row.id} (${row.name}) is ${host} now.`];
      }),
    );
}
