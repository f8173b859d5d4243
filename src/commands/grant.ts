// `grant`: people's grants to OAuth clients, for the operator of the gateway.
import type { App } from '../context.ts';
import { toInteger, toTimestamp, toTimestampOrNull } from '../rows/json.ts';
import { statusOf } from '../services/oauth-grants.ts';
import { list, type NamedGrant, revoke } from '../services/operator/oauth-grants.ts';
import { withTables } from './database.ts';
import { type Program, report, type Shell, table } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway grant list --team 1
  $ npx funnel-gateway grant revoke 3

Grants and teams are named by id or public id. A grant is made by a person, on the consent page.`;

/** Adds the command and its two subcommands. */
export function addGrant(program: Program, shell: Shell): void {
  const grant = program.command('grant').addHelpText('after', EXAMPLES);
  const json = () => program.opts().json;
  grant
    .command('list')
    .description('list grants, ended ones included')
    .option('--team <id>', 'only what was granted on behalf of this team')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway grant list --team 1')
    .action(({ team }) =>
      withTables(shell, async ({ app }) => {
        const grants = await list(app, { team });
        report(
          shell,
          json(),
          grants.map((one) => toJson(app, one)),
          grantTable(app, grants),
        );
      }),
    );
  grant
    .command('revoke')
    .description('revoke a grant at once, with all of its tokens')
    .argument('<id>', 'the grant')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway grant revoke 3')
    .action((id) =>
      withTables(shell, async ({ app }) => {
        const ended = await revoke(app, id);
        const text = `What ${ended.userName} granted to ${ended.clientName} (grant ${ended.id}) is revoked.`;
        report(shell, json(), toJson(app, ended), text);
      }),
    );
}

function grantTable(app: App, grants: readonly NamedGrant[]): string {
  if (grants.length === 0) return 'There are no grants.';
  return table(
    ['ID', 'PUBLIC ID', 'TEAM', 'WORKSPACES', 'STATUS', 'GRANTED', 'PERSON', 'CLIENT', 'SCOPES'],
    grants.map((grant) => [
      String(grant.id),
      grant.publicId,
      String(grant.teamId),
      grant.wholeTeam ? 'all' : grant.workspaceIds.join(','),
      statusOf(grant, app.clock()),
      grant.createdAt.toISOString().slice(0, 10),
      grant.userEmail,
      grant.clientName,
      grant.scopes.join(' '),
    ]),
  );
}

function toJson(app: App, grant: NamedGrant) {
  return {
    id: toInteger(grant.id),
    public_id: grant.publicId,
    team_id: grant.teamId === null ? null : toInteger(grant.teamId),
    workspace_ids: grant.wholeTeam ? null : grant.workspaceIds.map(toInteger),
    user: { id: toInteger(grant.userId), name: grant.userName, email: grant.userEmail },
    client: { id: grant.clientId, name: grant.clientName },
    scopes: grant.scopes,
    status: statusOf(grant, app.clock()),
    created_at: toTimestamp(grant.createdAt),
    expires_at: toTimestamp(grant.expiresAt),
    revoked_at: toTimestampOrNull(grant.revokedAt),
  };
}
