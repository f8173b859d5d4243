// `workspace`: the workspaces of the store and their custom domains, for the operator of the gateway.
import * as domains from '../services/operator/custom-domains.ts';
import { create, list, type StoredWorkspace } from '../services/operator/workspaces.ts';
import { actionsOf, examples, fieldsOf, listed } from './operator.ts';
import type { Program, Shell } from './shell.ts';
import { addSubdomain } from './subdomain.ts';

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
  const action = actionsOf(shell);
  workspace
    .command('create')
    .description('create a workspace of a team')
    .requiredOption('--team <id>', 'the team that it belongs to; cannot be changed')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--subdomain <label>', 'its host below SERVICE_HOST, unique among workspaces and teams')
    .addHelpText(...examples('workspace create --team 1 --name "Acme Shop" --subdomain shop --json'))
    .action(
      action(async (app, input) => {
        const row = await create(app, input);
        const host = `${row.subdomain}.${app.config.serviceHost}`;
        const text = `Workspace ${row.id} (${row.name}) of team ${row.teamId} is made. Its host is ${host}.`;
        return [toJson(row), text];
      }),
    );
  workspace
    .command('list')
    .description('list workspaces')
    .option('--team <id>', 'only the workspaces of this team')
    .addHelpText(...examples('workspace list --team 1'))
    .action(
      action(async (app, { team }) =>
        listed((await list(app, { team })).map(toJson), 'There are no workspaces.', [
          ...(['id', 'public_id'] as const),
          ['TEAM', ({ team_id }) => team_id],
          ...(['subdomain', 'created_at', 'domains', 'name'] as const),
        ]),
      ),
    );
  addSubdomain(workspace, shell, 'workspace');
  const domain = workspace
    .command('domain')
    .description("customers' own domains: each leads to one workspace")
    .addHelpText('after', DOMAIN_EXAMPLES);
  domain
    .command('add')
    .description('add a domain that leads to a workspace')
    .argument('<workspace>', 'the workspace, by id or public id')
    .argument('<domain>', 'the host name, such as shop.example.com')
    .addHelpText(...examples('workspace domain add 1 shop.example.com'))
    .action(
      action(async (app, ref, host) => {
        const row = await domains.add(app, ref, host);
        const text = `${row.host} leads to workspace ${row.workspaceId}, once its DNS leads here.`;
        return [domainToJson(row), text];
      }),
    );
  domain
    .command('list')
    .description('list domains')
    .argument('[workspace]', 'only those of this workspace, by id or public id')
    .addHelpText(...examples('workspace domain list 1'))
    .action(
      action(async (app, ref) =>
        listed((await domains.list(app, ref)).map(domainToJson), 'There are no domains.', [
          'id',
          ['WORKSPACE', (row) => row.workspace_id],
          'created_at',
          'domain',
        ]),
      ),
    );
  domain
    .command('remove')
    .description('remove a domain from its workspace, at once')
    .argument('<domain>', 'the host name')
    .addHelpText(...examples('workspace domain remove shop.example.com'))
    .action(
      action(async (app, host) => {
        const row = await domains.remove(app, host);
        return [domainToJson(row), `${row.host} no longer leads to workspace ${row.workspaceId}.`];
      }),
    );
}

function toJson(row: StoredWorkspace) {
  return fieldsOf(
    row,
    ...(['id', 'publicId', 'teamId', 'name', 'subdomain', 'domains', 'createdAt', 'updatedAt'] as const),
  );
}

function domainToJson({ host, ...row }: domains.CustomDomainRow) {
  return fieldsOf({ ...row, domain: host }, 'id', 'workspaceId', 'domain', 'createdAt');
}
