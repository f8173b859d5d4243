// `workspace`: the workspaces of the store and the custom domains that lead to them, for the operator of the gateway.
import { toInteger, toTimestamp } from '../rows/json.ts';
import * as domains from '../services/operator/custom-domains.ts';
import { create, list, type StoredWorkspace, setSubdomain } from '../services/operator/workspaces.ts';
import { withTables, withUnmigrated } from './database.ts';
import { type Program, report, type Shell, table } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway workspace create --team 1 --name "Acme Shop" --subdomain shop
  $ npx funnel-gateway workspace list --team 1
  $ npx funnel-gateway workspace domain add 1 shop.example.com

Teams and workspaces are named by id or public id.`;
const DOMAIN_EXAMPLES = `
Examples:
  $ npx funnel-gateway workspace domain add 1 shop.example.com
  $ npx funnel-gateway workspace domain list
  $ npx funnel-gateway workspace domain remove shop.example.com

A request to such a host is narrowed to its workspace. Its DNS has to lead to the gateway, or to the proxy before it.`;

/** Adds the command and its subcommands. */
export function addWorkspace(program: Program, shell: Shell): void {
  const workspace = program.command('workspace').addHelpText('after', EXAMPLES);
  const json = () => program.opts().json;
  workspace
    .command('create')
    .description('create a workspace of a team')
    .requiredOption('--team <id>', 'the team that it belongs to; cannot be changed')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--subdomain <label>', 'its host below SERVICE_HOST, unique among workspaces and teams')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npx funnel-gateway workspace create --team 1 --name "Acme Shop" --subdomain shop --json',
    )
    .action((input) =>
      withTables(shell, async ({ app }) => {
        const row = await create(app, input);
        const host = `${row.subdomain}.${app.config.serviceHost}`;
        const text = `Workspace ${row.id} (${row.name}) of team ${row.teamId} is made. Its host is ${host}.`;
        report(shell, json(), toJson(row), text);
      }),
    );
  workspace
    .command('list')
    .description('list workspaces')
    .option('--team <id>', 'only the workspaces of this team')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway workspace list --team 1')
    .action(({ team }) =>
      withTables(shell, async ({ app }) => {
        const workspaces = await list(app, { team });
        report(shell, json(), workspaces.map(toJson), workspaceTable(workspaces));
      }),
    );
  workspace
    .command('subdomain')
    .description("change a workspace's subdomain at once; its old host stops working")
    .argument('<workspace>', 'the workspace, by id or public id')
    .argument('<label>', 'its host below SERVICE_HOST, unique among workspaces and teams')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway workspace subdomain 1 shop')
    .action((ref, label) =>
      // Works before a migration, too: a migration may require this change.
      withUnmigrated(shell, async ({ app }) => {
        const { id, publicId, name, subdomain } = await setSubdomain(app, ref, label);
        const text = `The host of workspace ${id} (${name}) is ${subdomain}.${app.config.serviceHost} now.`;
        report(shell, json(), { id: toInteger(id), public_id: publicId, name, subdomain }, text);
      }),
    );
  const domain = workspace
    .command('domain')
    .description("customers' own domains: each leads to one workspace")
    .addHelpText('after', DOMAIN_EXAMPLES);
  domain
    .command('add')
    .description('add a domain that leads to a workspace')
    .argument('<workspace>', 'the workspace, by id or public id')
    .argument('<domain>', 'the host name, such as shop.example.com')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway workspace domain add 1 shop.example.com')
    .action((ref, host) =>
      withTables(shell, async ({ app }) => {
        const row = await domains.add(app, ref, host);
        const text = `${row.host} leads to workspace ${row.workspaceId}, once its DNS leads here.`;
        report(shell, json(), domainToJson(row), text);
      }),
    );
  domain
    .command('list')
    .description('list domains')
    .argument('[workspace]', 'only those of this workspace, by id or public id')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway workspace domain list 1')
    .action((ref) =>
      withTables(shell, async ({ app }) => {
        const rows = await domains.list(app, ref);
        report(shell, json(), rows.map(domainToJson), domainTable(rows));
      }),
    );
  domain
    .command('remove')
    .description('remove a domain from its workspace, at once')
    .argument('<domain>', 'the host name')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway workspace domain remove shop.example.com')
    .action((host) =>
      withTables(shell, async ({ app }) => {
        const row = await domains.remove(app, host);
        const text = `${row.host} no longer leads to workspace ${row.workspaceId}.`;
        report(shell, json(), domainToJson(row), text);
      }),
    );
}

function workspaceTable(workspaces: readonly StoredWorkspace[]): string {
  if (workspaces.length === 0) return 'There are no workspaces.';
  return table(
    ['ID', 'PUBLIC ID', 'TEAM', 'SUBDOMAIN', 'CREATED', 'DOMAINS', 'NAME'],
    workspaces.map((row) => [
      String(row.id),
      row.publicId,
      String(row.teamId),
      row.subdomain,
      row.createdAt.toISOString().slice(0, 10),
      row.domains.join(' ') || '-',
      row.name,
    ]),
  );
}

function domainTable(rows: readonly domains.CustomDomainRow[]): string {
  if (rows.length === 0) return 'There are no domains.';
  return table(
    ['ID', 'WORKSPACE', 'CREATED', 'DOMAIN'],
    rows.map((row) => [
      String(row.id),
      String(row.workspaceId),
      row.createdAt.toISOString().slice(0, 10),
      row.host,
    ]),
  );
}

function toJson(row: StoredWorkspace) {
  return {
    id: toInteger(row.id),
    public_id: row.publicId,
    team_id: toInteger(row.teamId),
    name: row.name,
    subdomain: row.subdomain,
    domains: row.domains,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

function domainToJson(row: domains.CustomDomainRow) {
  return {
    id: toInteger(row.id),
    workspace_id: toInteger(row.workspaceId),
    domain: row.host,
    created_at: toTimestamp(row.createdAt),
  };
}
