// `team`: the teams of the store, for the operator of the gateway.
import { toInteger, toTimestamp } from '../rows/json.ts';
import { create, LOCALES, list, type StoredTeam, setSubdomain } from '../services/operator/teams.ts';
import { withTables, withUnmigrated } from './database.ts';
import { type Program, report, type Shell, table } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway team create --name "Acme Outdoor" --subdomain acme
  $ npx funnel-gateway team list

A team owns workspaces, API keys and clients; people belong to it. Other commands name it by id or public id.`;

/** Adds the command and its subcommands. */
export function addTeam(program: Program, shell: Shell): void {
  const team = program.command('team').addHelpText('after', EXAMPLES);
  const json = () => program.opts().json;
  team
    .command('create')
    .description('create a team; prints its default API key, once')
    .requiredOption('--name <name>', 'its name')
    .option('--subdomain <label>', 'its host below SERVICE_HOST, which shows only this team')
    .option('--time-zone <zone>', 'its time zone, as clients will see it, such as Tokyo', 'UTC')
    .option('--locale <locale>', `its language: ${LOCALES.join(', ')}`, 'en')
    .option('--no-key', 'do not create its default API key, which may read and write everything of the team')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npx funnel-gateway team create --name "Acme Outdoor" --json\n  $ npx funnel-gateway team create --name Acme --subdomain acme --time-zone Europe/London',
    )
    .action(({ name, subdomain, timeZone, locale, key }) =>
      withTables(shell, async ({ app }) => {
        const made = await create(app, { name, subdomain, timeZone, locale, withoutKey: !key });
        const { team: row, defaultKey } = made;
        const data = {
          ...toJson(row),
          ...(defaultKey !== null && {
            api_key_id: toInteger(defaultKey.apiKey.id),
            token: defaultKey.token,
          }),
        };
        report(shell, json(), data, newTeamText(row, defaultKey?.token ?? null));
      }),
    );
  team
    .command('subdomain')
    .description("change a team's subdomain at once; its old host stops working")
    .argument('<team>', 'the team, by id or public id')
    .argument('<label>', 'its host below SERVICE_HOST, unique among workspaces and teams')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway team subdomain 1 acme')
    .action((ref, label) =>
      // Works before a migration, too: a migration may require this change.
      withUnmigrated(shell, async ({ app }) => {
        const { id, publicId, name, subdomain } = await setSubdomain(app, ref, label);
        const text = `The host of team ${id} (${name}) is ${subdomain}.${app.config.serviceHost} now.`;
        report(shell, json(), { id: toInteger(id), public_id: publicId, name, subdomain }, text);
      }),
    );
  team
    .command('list')
    .description('list teams')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway team list --json')
    .action(() =>
      withTables(shell, async ({ app }) => {
        const teams = await list(app);
        const data = teams.map((row) => ({ ...toJson(row), workspaces: row.workspaces }));
        report(shell, json(), data, teamTable(teams));
      }),
    );
}

function newTeamText({ id, name }: StoredTeam, token: string | null): string {
  const next = `Next: npx funnel-gateway workspace create --team ${id} --name "..." --subdomain ...`;
  const made = `Team ${id} (${name}) is made.`;
  if (token === null)
    return `${made}\nAn API key for it: npx funnel-gateway token create --team ${id} --scopes "read write"\n${next}`;
  return `${token}\n\n${made} The key above is its default API key, scopes: read write.\nKeep it now: it cannot be shown again.\n${next}`;
}

function teamTable(teams: readonly (StoredTeam & { readonly workspaces: number })[]): string {
  if (teams.length === 0)
    return 'There are no teams: npx funnel-gateway team create --name "..." makes the first.';
  return table(
    ['ID', 'PUBLIC ID', 'SUBDOMAIN', 'TIME ZONE', 'LOCALE', 'CREATED', 'WORKSPACES', 'NAME'],
    teams.map((row) => [
      String(row.id),
      row.publicId,
      row.subdomain ?? '-',
      row.timeZone,
      row.locale,
      row.createdAt.toISOString().slice(0, 10),
      String(row.workspaces),
      row.name,
    ]),
  );
}

function toJson(row: StoredTeam) {
  return {
    id: toInteger(row.id),
    public_id: row.publicId,
    name: row.name,
    subdomain: row.subdomain,
    time_zone: row.timeZone,
    locale: row.locale,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}
