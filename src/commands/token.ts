// `token`: API keys, for the operator of the gateway.
import type { App } from '../context.ts';
import { toInteger, toTimestamp, toTimestampOrNull } from '../rows/json.ts';
import { type StoredApiKey, statusOf } from '../services/api-keys.ts';
import { create, list, revoke, rotate } from '../services/operator/api-keys.ts';
import { withTables } from './database.ts';
import { parseDuration, parseMoment } from './durations.ts';
import { type Program, report, type Shell, table } from './shell.ts';

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
  const json = () => program.opts().json;
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
    .addHelpText(
      'after',
      '\nExamples:\n  $ npx funnel-gateway token create --team 1 --scopes "contacts:read read" --json',
    )
    .action(({ team, scopes, expires, name, default: isDefault }) =>
      withTables(shell, async ({ app }) => {
        const now = app.clock();
        const expiresAt = expires === undefined ? undefined : parseMoment('expires', expires, now);
        const names = scopes.split(/[\s,]+/).filter((scope) => scope !== '');
        const issued = await create(app, { team, scopes: names, name, expiresAt, isDefault });
        report(shell, json(), { ...toJson(app, issued.apiKey), token: issued.token }, newKeyText(issued));
      }),
    );
  token
    .command('list')
    .description('list API keys; the keys themselves are not stored')
    .option('--team <id>', 'only the keys of this team')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway token list --team 1')
    .action(({ team }) =>
      withTables(shell, async ({ app }) => {
        const keys = await list(app, { team });
        report(
          shell,
          json(),
          keys.map((key) => toJson(app, key)),
          keyTable(app, keys),
        );
      }),
    );
  token
    .command('revoke')
    .description('revoke an API key at once')
    .argument('<id>', 'the key')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway token revoke 3')
    .action((id) =>
      withTables(shell, async ({ app }) => {
        const key = await revoke(app, id);
        report(shell, json(), toJson(app, key), `API key ${key.id} (${key.name}) is revoked.`);
      }),
    );
  token
    .command('rotate')
    .description('replace an API key by a new one with the same scopes and lifetime; prints it once')
    .argument('<id>', 'the key to replace')
    .option('--overlap <time>', 'how long the old key stays valid, such as 24h; without it, it stops at once')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway token rotate 3 --overlap 24h')
    .action((id, { overlap }) =>
      withTables(shell, async ({ app }) => {
        const overlapMs = overlap === undefined ? 0 : parseDuration('overlap', overlap);
        const issued = await rotate(app, id, { overlapMs });
        const replaced = toJson(app, issued.replaced);
        report(
          shell,
          json(),
          { ...toJson(app, issued.apiKey), token: issued.token, replaced },
          `${newKeyText(issued)}\nThe old one, ${issued.replaced.id}, stops at ${replaced.revoked_at}.`,
        );
      }),
    );
}

function newKeyText({ apiKey, token }: { apiKey: StoredApiKey; token: string }): string {
  const expires =
    apiKey.expiresAt === null ? 'It does not expire.' : `It expires at ${toTimestamp(apiKey.expiresAt)}.`;
  return `${token}\n\nAPI key ${apiKey.id} (${apiKey.name}) of team ${apiKey.teamId}, scopes: ${apiKey.scopes.join(' ')}. ${expires}\nKeep it now: it cannot be shown again.`;
}

function keyTable(app: App, keys: readonly StoredApiKey[]): string {
  if (keys.length === 0) return 'There are no API keys.';
  const day = (date: Date | null) => (date === null ? '-' : date.toISOString().slice(0, 10));
  return table(
    ['ID', 'PUBLIC ID', 'TEAM', 'KEY', 'STATUS', 'EXPIRES', 'LAST USED', 'SCOPES', 'NAME'],
    keys.map((key) => [
      String(key.id),
      key.publicId,
      String(key.teamId),
      `${key.hint}...`,
      statusOf(key, app.clock()),
      day(key.expiresAt),
      day(key.lastUsedAt),
      key.scopes.join(' '),
      key.isDefault ? `${key.name} (default)` : key.name,
    ]),
  );
}

function toJson(app: App, key: StoredApiKey) {
  return {
    id: toInteger(key.id),
    public_id: key.publicId,
    team_id: toInteger(key.teamId),
    name: key.name,
    default: key.isDefault,
    hint: key.hint,
    scopes: key.scopes,
    status: statusOf(key, app.clock()),
    created_at: toTimestamp(key.createdAt),
    expires_at: toTimestampOrNull(key.expiresAt),
    revoked_at: toTimestampOrNull(key.revokedAt),
    last_used_at: toTimestampOrNull(key.lastUsedAt),
  };
}
