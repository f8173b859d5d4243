// `grant`: people's grants to OAuth clients, for the operator of the gateway.
import type { App } from '../context.ts';
import { list, type NamedGrant, revoke } from '../services/operator/oauth-grants.ts';
import { statusOf } from '../services/sign-in/oauth-grants.ts';
import { actionsOf, dayOf, examples, fieldsOf, listed } from './operator.ts';
import type { Program, Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway grant list --team 1
  $ npx funnel-gateway grant revoke 3

Grants and teams are named by id or public id. A grant is made by a person, on the consent page.`;

/** Adds the command and its two subcommands. */
export function addGrant(program: Program, shell: Shell): void {
  const grant = program.command('grant').addHelpText('after', EXAMPLES);
  const action = actionsOf(shell);
  grant
    .command('list')
    .description('list grants, ended ones included')
    .option('--team <id>', 'only what was granted on behalf of this team')
    .addHelpText(...examples('grant list --team 1'))
    .action(
      action(async (app, { team }) =>
        listed(
          (await list(app, { team })).map((grant) => toJson(app, grant)),
          'There are no grants.',
          [
            ...(['id', 'public_id'] as const),
            ['TEAM', (grant) => grant.team_id],
            ['WORKSPACES', ({ workspace_ids }) => workspace_ids?.join(',') ?? 'all'],
            'status',
            ['GRANTED', (grant) => dayOf(grant.created_at)],
            ['PERSON', ({ user }) => user.email],
            ['CLIENT', ({ client }) => client.name],
            'scopes',
          ],
        ),
      ),
    );
  grant
    .command('revoke')
    .description('revoke a grant at once, with all of its tokens')
    .argument('<id>', 'the grant')
    .addHelpText(...examples('grant revoke 3'))
    .action(
      action(async (app, id) => {
        const ended = await revoke(app, id);
        const text = `What ${ended.userName} granted to ${ended.clientName} (grant ${ended.id}) is revoked.`;
        return [toJson(app, ended), text];
      }),
    );
}

function toJson(app: App, grant: NamedGrant) {
  return {
    ...fieldsOf(grant, 'id', 'publicId', 'teamId'),
    workspace_ids: grant.isWholeTeam ? null : grant.workspaceIds,
    user: { id: grant.userId, name: grant.userName, email: grant.userEmail },
    client: { id: grant.clientId, name: grant.clientName },
    scopes: grant.scopes,
    status: statusOf(grant, app.clock()),
    ...fieldsOf(grant, 'createdAt', 'expiresAt', 'revokedAt'),
  };
}
