// `team`: the teams of the store, for the operator of the gateway.
import { create, LOCALES, list, type StoredTeam } from '../services/operator/teams.ts';
import { actionsOf, examples, fieldsOf, listed } from './operator.ts';
import type { Program, Shell } from './shell.ts';
import { addSubdomain } from './subdomain.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway team create --name "Acme Outdoor" --subdomain acme
  $ npx funnel-gateway team list

A team owns workspaces, API keys and clients; people belong to it. Other commands name it by id or public id.`;

/** Adds the command and its subcommands. */
export function addTeam(program: Program, shell: Shell): void {
  const team = program.command('team').addHelpText('after', EXAMPLES);
  const action = actionsOf(shell);
  team
    .command('create')
    .description('create a team; prints its default API key, once')
    .requiredOption('--name <name>', 'its name')
    .option('--subdomain <label>', 'its host below SERVICE_HOST, which shows only this team')
    .option('--time-zone <zone>', 'its time zone, as clients will see it, such as Tokyo', 'UTC')
    .option('--locale <locale>', `its language: ${LOCALES.join(', ')}`, 'en')
    .option('--no-key', 'do not create its default API key, which may read and write everything of the team')
    .addHelpText(
      ...examples(
        'team create --name "Acme Outdoor" --json',
        'team create --name Acme --subdomain acme --time-zone Europe/London',
      ),
    )
    .action(
      action(async (app, { name, subdomain, timeZone, locale, key }) => {
        const input = { name, subdomain, timeZone, locale, withoutKey: !key };
        const { team: row, defaultKey } = await create(app, input);
        const token = defaultKey?.token ?? null;
        const ofKey = defaultKey && { api_key_id: defaultKey.apiKey.id, token };
        return [{ ...toJson(row), ...ofKey }, newTeamText(row, token)];
      }),
    );
  addSubdomain(team, shell, 'team');
  team
    .command('list')
    .description('list teams')
    .addHelpText(...examples('team list --json'))
    .action(
      action(async (app) => {
        const teams = (await list(app)).map((row) => ({ ...toJson(row), workspaces: row.workspaces }));
        return listed(teams, NONE, [
          ...(['id', 'public_id', 'subdomain', 'time_zone', 'locale', 'created_at'] as const),
          ...(['workspaces', 'name'] as const),
        ]);
      }),
    );
}

const NONE = 'There are no teams: npx funnel-gateway team create --name "..." makes the first.';

function newTeamText({ id, name }: StoredTeam, token: string | null): string {
  const next = `Next: npx funnel-gateway workspace create --team ${id} --name "..." --subdomain ...`;
  const made = `Team ${id} (${name}) is made.`;
  if (token === null)
    return `${made}\nAn API key for it: npx funnel-gateway token create --team ${id} --scopes "read write"\n${next}`;
  return `${token}\n\n${made} The key above is its default API key, scopes: read write.\nKeep it now: it cannot be shown again.\n${next}`;
}

function toJson(row: StoredTeam) {
  return fieldsOf(
    row,
    ...(['id', 'publicId', 'name', 'subdomain', 'timeZone', 'locale', 'createdAt', 'updatedAt'] as const),
  );
}
