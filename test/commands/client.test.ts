// `client` on a PostgreSQL server that DATABASE_URL names.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { gatewayForCommands, run, runHere, runJsonHere } from './cli.ts';

const { gateway, env, team } = await gatewayForCommands();

interface Printed {
  client_id: string;
  client_secret?: string;
}

const CREDENTIALS = ['--grant', 'client_credentials', '--scopes', 'contacts:read'];

test('the JSON has client_id and client_secret; the secret is printed only once', async () => {
  const args = ['client', 'create', '--name', 'X', ...CREDENTIALS, '--team', String(team.id)];
  const made = await runJsonHere<Printed>(args, env);
  expect(made).toMatchObject({
    client_id: expect.stringMatching(/^fgc_/),
    client_secret: expect.stringMatching(/^fgs_/),
    grant_types: ['client_credentials'],
    scope: 'contacts:read',
    team_id: Number(team.id),
    workspace_ids: null,
  });
  const { stdout } = await runHere(['client', 'list', '--team', team.publicId, '--json'], env);
  expect(stdout).not.toContain(made.client_secret);
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ client_id: made.client_id, status: 'active' }),
  ]);
  expect(await runJsonHere(['client', 'remove', made.client_id], env)).toMatchObject({ status: 'removed' });
  const { stdout: people } = await run(['client', 'list'], env);
  const [heading = '', first = ''] = people.split('\n');
  expect(first.indexOf('removed')).toBe(heading.indexOf('STATUS'));
});

test('without --grant a client uses consent; --public has no secret, --redirect-uri may be repeated', async () => {
  const uris = ['http://127.0.0.1/callback', 'com.example.app:/callback'];
  const made = await runJsonHere<Printed>(
    [
      'client',
      'create',
      '--name',
      'App',
      '--scopes',
      'read contacts:write',
      '--public',
      ...uris.flatMap((uri) => ['--redirect-uri', uri]),
    ],
    env,
  );
  expect(made).toMatchObject({
    redirect_uris: uris,
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    scope: 'read contacts:write',
    team_id: null,
  });
  expect(made).not.toHaveProperty('client_secret');
});

test('--legacy and --id make a client for a platform whose code nobody changes; the list says so', async () => {
  const args = ['client', 'create', '--legacy', '--name', 'Old', '--scopes', 'read write', '--id', 'old_one'];
  const uris = ['https://old.example/a', 'https://old.example/b'];
  const redirects = uris.flatMap((uri) => ['--redirect-uri', uri]);
  const made = await runJsonHere<Printed>([...args, ...redirects, '--grant-lifetime', '90d'], env);
  expect(made).toMatchObject({
    client_id: 'old_one',
    client_secret: expect.stringMatching(/^fgs_/),
    redirect_uris: uris,
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_basic',
    legacy: true,
    grant_seconds: 7_776_000,
  });
  const { stdout } = await runHere(['client', 'list'], env);
  expect(stdout).toMatch(/^old_one .* Old \(legacy\)$/m);
  const again = await runHere([...args, ...redirects], env);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already a client with this id')]);
});

test('--workspaces limits a client; the text output has its id and its secret', async () => {
  const workspace = await factories.workspace(gateway.app, { teamId: team.id });
  const args = ['client', 'create', '--name', 'X', ...CREDENTIALS, '--team', String(team.id)];
  const { code, stdout } = await runHere([...args, '--workspaces', workspace.publicId], env);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^client_id {6}fgc_\w{22}\nclient_secret {2}fgs_\w{49}\n/);
  const [, id = ''] = /(fgc_\w+)/.exec(stdout) ?? [];
  const row = await prismaOf(gateway.app.store).oauthClient.findUniqueOrThrow({ where: { id } });
  expect(row).toMatchObject({ workspaceIds: [workspace.id], wholeTeam: false });
});

test.concurrent.each([
  [
    ['create', '--name', 'X', '--scopes', 'contacts:raed', '--redirect-uri', 'https://a.example/'],
    'Unknown scope',
  ],
  [['create', '--name', 'X', '--scopes', 'read'], 'needs a redirect URI'],
  [['create', '--name', 'X', '--scopes', 'read', '--grant', 'password'], 'Unknown grant password'],
  [['create', '--name', 'X', ...CREDENTIALS], 'needs the team'],
  [['create', '--name', 'X', ...CREDENTIALS, '--team', '999'], 'Team not found'],
  [
    ['create', '--name', 'X', '--scopes', 'read', '--redirect-uri', 'https://a.example/', '--id', 'a b'],
    'The id must have',
  ],
  [
    [
      ...['create', '--name', 'X', '--scopes', 'read', '--redirect-uri', 'https://a.example/'],
      ...['--grant-lifetime', '90d'],
    ],
    'Only a legacy client',
  ],
  [['create', '--legacy', '--name', 'X', '--scopes', 'read'], 'needs a redirect URI'],
  [['create', '--legacy', '--name', 'X', ...CREDENTIALS, '--team', '1'], 'cannot use client_credentials'],
  [['remove', 'fgc_nobody'], 'Client not found'],
])('client %j is refused with a sentence', async (args, message) => {
  const { code, stdout, stderr } = await runHere(['client', ...args], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});
