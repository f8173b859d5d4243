// `token`: API keys, for the operator of the gateway.
import type { App } from '../context.ts';
import { toTimestamp } from '../rows/json.ts';
import { type StoredApiKey, statusOf } from '../services/accounts/api-keys.ts';
import { create, list, revoke, rotate } from '../services/operator/api-keys.ts';
import { parseDuration, parseMoment } from './durations.ts';
import { actionsOf, examples, fieldsOf, listed, words } from './operator.ts';
import type { Program, Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway token create --team 1 --scopes "contacts:read read" --expires 90d --name "Nightly export"
  $ npx funnel-gateway token list --team 1
  $ npx funnel-gateway token rotate 3 --overlap 24h
  $ npx funnel-gateway token revoke 3

Keys and teams are named by id or public id. A key is shown once, when it is made.`;

/** Adds the command and its four subcommands. */
export function addToken(program: Program, shell: Shell): void {
  const token = program.command('token').addHelpText('after', EXAMPLES);
  const action = actionsOf(shell);
  token
    .command('create')
    .description('create an API key for a team; prints it once')
    .requiredOption('--team <id>', 'the team that the key is for')
    .requiredOption('--scopes <scopes>', 'what it may do: names such as contacts:read, separated by spaces')
    .option(
      '--expires <when>',
      'a time from now (30m, 12h, 90d, 2w) or a date; without it the key does not expire',
    )
    .option('--name <name>', 'what it is for')
    .option('--default', "make it the team's default key, if the team has none")
    .addHelpText(...examples('token create --team 1 --scopes "contacts:read read" --json'))
    .action(
      action(async (app, { team, scopes, expires, name, default: isDefault }) => {
        const now = app.clock();
        const expiresAt = expires === undefined ? undefined : parseMoment('expires', expires, now);
        const issued = await create(app, { team, scopes: words(scopes), name, expiresAt, isDefault });
        return [{ ...toJson(app, issued.apiKey), token: issued.token }, newKeyText(issued)];
      }),
    );
  token
    .command('list')
    .description('list API keys; the keys themselves are not stored')
    .option('--team <id>', 'only the keys of this team')
    .addHelpText(...examples('token list --team 1'))
    .action(
      action(async (app, { team }) =>
        listed(
          (await list(app, { team })).map((key) => toJson(app, key)),
          'There are no API keys.',
          [
            ...(['id', 'public_id'] as const),
            ['TEAM', (key) => key.team_id],
            ['KEY', (key) => `${key.hint}...`],
            ...(['status', 'expires_at', 'last_used_at', 'scopes'] as const),
            ['NAME', (key) => (key.default ? `${key.name} (default)` : key.name)],
          ],
        ),
      ),
    );
  token
    .command('revoke')
    .description('revoke an API key at once')
    .argument('<id>', 'the key')
    .addHelpText(...examples('token revoke 3'))
    .action(
      action(async (app, id) => {
        const key = await revoke(app, id);
        return [toJson(app, key), `API key ${key.id} (${key.name}) is revoked.`];
      }),
    );
  token
    .command('rotate')
    .description('replace an API key by a new one with the same scopes and lifetime; prints it once')
    .argument('<id>', 'the key to replace')
    .option('--overlap <time>', 'how long the old key stays valid, such as 24h; without it, it stops at once')
    .addHelpText(...examples('token rotate 3 --overlap 24h'))
    .action(
      action(async (app, id, { overlap }) => {
        const overlapMs = overlap === undefined ? 0 : parseDuration('overlap', overlap);
        const issued = await rotate(app, id, { overlapMs });
        const replaced = toJson(app, issued.replaced);
        return [
          { ...toJson(app, issued.apiKey), token: issued.token, replaced },
          `${newKeyText(issued)}\nThe old one, ${replaced.id}, stops at ${replaced.revoked_at?.toISOString()}.`,
        ];
      }),
    );
}

function newKeyText({ apiKey, token }: { apiKey: StoredApiKey; token: string }): string {
  const expires =
    apiKey.expiresAt === null ? 'It does not expire.' : `It expires at ${toTimestamp(apiKey.expiresAt)}.`;
  return `${token}\n\nAPI key ${apiKey.id} (${apiKey.name}) of team ${apiKey.teamId}, scopes: ${apiKey.scopes.join(' ')}. ${expires}\nKeep it now: it cannot be shown again.`;
}

function toJson(app: App, key: StoredApiKey) {
  return fieldsOf(
    { ...key, default: key.isDefault, status: statusOf(key, app.clock()) },
    ...(['id', 'publicId', 'teamId', 'name', 'default', 'hint', 'scopes', 'status'] as const),
    ...(['createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'] as const),
  );
}
