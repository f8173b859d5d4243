// `client`: OAuth clients, for the operator of the gateway.
import {
  create,
  GRANT_TYPES,
  legacyTermsOf,
  list,
  type OauthClientRow,
  remove,
} from '../services/operator/oauth-clients.ts';
import { parseDuration } from './durations.ts';
import { actionsOf, examples, fieldsOf, listed, words } from './operator.ts';
import type { Program, Shell } from './shell.ts';

const CREATE_EXAMPLES = `
Examples:
  $ npx funnel-gateway client create --name "Nightly export" --grant client_credentials --scopes "contacts:read" --team 1
  $ npx funnel-gateway client create --name "Mail platform" --scopes "contacts:read contacts:write" \\
      --redirect-uri https://mail.example.com/callback
  $ npx funnel-gateway client create --name "Desktop app" --public --scopes read --redirect-uri http://127.0.0.1/callback
  $ npx funnel-gateway client create --legacy --name "Old importer" --scopes "read write" --id old_importer \\
      --redirect-uri https://importer.example.com/callback

Without --grant a client sends people through consent: authorization_code and refresh_token.

--legacy is for a platform that was written for an older service and whose code nobody will change. It may take codes without
PKCE (then with state, and unless it is --public), send JSON to /oauth/token, and get access tokens that live as long as their
grant, without refresh tokens. The answer to its token request also has created_at, team_id, team_name, workspace_id,
workspace_name and workspace_url. Its redirect URIs are compared exactly, ports of loopback addresses included.`;
const EXAMPLES = `
Examples:
  $ npx funnel-gateway client create --name "Nightly export" --grant client_credentials --scopes "contacts:read" --team 1
  $ npx funnel-gateway client list
  $ npx funnel-gateway client remove fgc_4SDq7hX0vMZ1kTnLbYwE2R

A client's secret is shown once, when it is made.`;

const DEFAULT_GRANTS = ['authorization_code', 'refresh_token'];
/** An access token of a legacy client lives as long as its grant, so it needs no refresh token. */
const LEGACY_GRANTS = ['authorization_code'];

/** Adds the command and its three subcommands. */
export function addClient(program: Program, shell: Shell): void {
  const client = program.command('client').addHelpText('after', EXAMPLES);
  const action = actionsOf(shell);
  client
    .command('create')
    .description('register an OAuth client; prints its id and its secret, once')
    .requiredOption('--name <name>', 'the name that people read on the consent page')
    .requiredOption(
      '--scopes <scopes>',
      'what it may ask for: names such as contacts:read, separated by spaces',
    )
    .option('--grant <grants...>', `how it gets tokens: ${GRANT_TYPES.join(', ')}; may be repeated`)
    .option('--id <client_id>', 'the client_id that the platform already has; without it a random one')
    .option('--redirect-uri <uris...>', 'where people are sent back to; may be repeated')
    .option('--public', 'without a secret: for an app on a device or in a browser, which cannot keep one')
    .option('--legacy', 'for a platform whose code nobody will change; see below')
    .option(
      '--grant-lifetime <time>',
      'how long access to a legacy client lasts, such as 90d; without it, until it is withdrawn',
    )
    .option('--team <id>', 'the team that it acts for by client_credentials')
    .option('--workspaces <ids>', 'limit it to these workspaces of the team, separated by commas')
    .addHelpText('after', CREATE_EXAMPLES)
    .action(
      action(async (app, { name, scopes, id, team, ...options }) => {
        const { grant, redirectUri, public: isPublic, legacy: isLegacy, grantLifetime, workspaces } = options;
        const { client: row, clientSecret } = await create(app, {
          id,
          name,
          grants: grant ? words(grant.join(' ')) : isLegacy ? LEGACY_GRANTS : DEFAULT_GRANTS,
          scopes: words(scopes),
          redirectUris: redirectUri,
          isPublic,
          isLegacy,
          grantLifetimeMs:
            grantLifetime === undefined ? undefined : parseDuration('grant_lifetime', grantLifetime),
          team,
          workspaces: words(workspaces ?? ''),
        });
        const data = { ...toJson(row), ...(clientSecret !== null && { client_secret: clientSecret }) };
        return [data, newClientText(row, clientSecret)];
      }),
    );
  client
    .command('list')
    .description('list OAuth clients; their secrets are not stored')
    .option('--team <id>', 'only the clients that act for this team')
    .addHelpText(...examples('client list --team 1'))
    .action(
      action(async (app, { team }) =>
        listed((await list(app, { team })).map(toJson), 'There are no OAuth clients.', [
          ...(['client_id', 'status'] as const),
          ['TEAM', ({ team_id }) => team_id],
          'created_at',
          ['GRANTS', ({ grant_types }) => grant_types],
          ['SCOPES', ({ scope }) => scope],
          [
            'NAME',
            ({ client_name, dynamic, legacy }) =>
              [client_name, dynamic && '(registered itself)', legacy && '(legacy)'].filter(Boolean).join(' '),
          ],
        ]),
      ),
    );
  client
    .command('remove')
    .description('remove an OAuth client with all of its grants and tokens')
    .argument('<client_id>', 'the client')
    .addHelpText(...examples('client remove fgc_4SDq7hX0vMZ1kTnLbYwE2R'))
    .action(
      action(async (app, id) => {
        const row = await remove(app, id);
        return [toJson(row), `Client ${row.id} (${row.name}) is removed.`];
      }),
    );
}

const LEGACY_TEXT =
  'It is a legacy client: its access tokens live as long as their grant. A person ends them on the account page, you by "grant revoke".';

function newClientText(row: OauthClientRow, secret: string | null): string {
  const lines = [`client_id      ${row.id}`, ...(secret === null ? [] : [`client_secret  ${secret}`]), ''];
  const { grant_types, scope } = toJson(row);
  lines.push(`${row.name}: ${grant_types.join(', ')}, scopes: ${scope}.`);
  if (legacyTermsOf(row) !== null) lines.push(LEGACY_TEXT);
  if (secret !== null) lines.push('Keep the secret now: it cannot be shown again.');
  return lines.join('\n');
}

/** The client metadata that is shown; the names are those of RFC 7591 §2. */
interface Metadata {
  readonly grant_types?: string[];
  readonly redirect_uris?: string[];
  readonly token_endpoint_auth_method?: string;
  readonly application_type?: string;
  readonly scope?: string;
}

function toJson(row: OauthClientRow) {
  const metadata = row.metadata as Metadata;
  const legacy = legacyTermsOf(row);
  return {
    client_id: row.id,
    client_name: row.name,
    status: row.disabledAt === null ? 'active' : 'removed',
    grant_types: metadata.grant_types ?? ['authorization_code'],
    redirect_uris: metadata.redirect_uris ?? [],
    token_endpoint_auth_method: metadata.token_endpoint_auth_method ?? 'client_secret_basic',
    application_type: metadata.application_type ?? 'web',
    legacy: legacy !== null,
    ...(legacy !== null && { grant_seconds: legacy.grant_seconds }),
    scope: metadata.scope ?? '',
    ...fieldsOf(row, 'teamId'),
    workspace_ids: row.wholeTeam ? null : row.workspaceIds,
    ...fieldsOf(row, 'dynamic', 'createdAt', 'expiresAt', 'disabledAt'),
  };
}
