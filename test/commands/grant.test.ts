// `grant` on a PostgreSQL server that DATABASE_URL names.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { oauthGrant, tokensOf } from '../support/grants.ts';
import { prismaOf } from '../support/prisma.ts';
import { gatewayForCommands, runHere, runJsonHere } from './cli.ts';

interface Printed {
  id: number;
  public_id: string;
  status: string;
  revoked_at: string | null;
}

const { gateway, env, team } = await gatewayForCommands();
const { id: workspaceId } = await factories.workspace(gateway.app, { teamId: team.id });

const make = (teamId = team.id, workspaceIds?: bigint[]) =>
  oauthGrant(gateway.app, { teamId, ...(workspaceIds && { workspaceIds }) });

test('list shows who granted what to whom, of one team or of all', async () => {
  const [whole, some] = [await make(), await make(team.id, [workspaceId])];
  const elsewhere = await make((await factories.team(gateway.app)).id);
  const prisma = prismaOf(gateway.app.store);
  const user = await prisma.user.findUniqueOrThrow({ where: { id: whole.userId } });
  const client = await prisma.oauthClient.findUniqueOrThrow({ where: { id: whole.clientId } });
  const ours = await runJsonHere<Printed[]>(['grant', 'list', '--team', team.publicId], env);
  expect(ours).toMatchObject([
    {
      id: Number(whole.id),
      public_id: whole.publicId,
      team_id: Number(team.id),
      workspace_ids: null,
      user: { id: Number(user.id), name: user.name, email: user.email },
      client: { id: client.id, name: client.name },
      scopes: ['contacts:read'],
      status: 'active',
      expires_at: whole.expiresAt?.toISOString(),
      revoked_at: null,
    },
    { id: Number(some.id), workspace_ids: [Number(workspaceId)] },
  ]);
  const { stdout } = await runHere(['grant', 'list'], env);
  const [heading = '', first = ''] = stdout.split('\n');
  expect(first.indexOf('active')).toBe(heading.indexOf('STATUS'));
  for (const { publicId } of [whole, some, elsewhere]) expect(stdout).toContain(publicId);
  expect(stdout).not.toContain(whole.key);
});

test('revoke ends a grant with its tokens at once; a second revoke changes nothing', async () => {
  const [grant, kept] = [await make(), await make()];
  const ended = await runJsonHere<Printed>(['grant', 'revoke', String(grant.id)], env);
  expect(ended).toMatchObject({ id: Number(grant.id), status: 'revoked' });
  expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: true, refreshTokens: 0 });
  expect(await tokensOf(gateway.app, kept)).toEqual({ revoked: false, refreshTokens: 1 });
  expect(await runJsonHere(['grant', 'revoke', grant.publicId], env)).toEqual(ended);
});

test.concurrent.each([
  [['revoke', '999999'], 'Grant not found.'],
  [['revoke', 'x'], 'Grant not found.'],
  [['list', '--team', '999999'], 'Team not found. "npx funnel-gateway team list" shows the teams'],
])('grant %j is refused with a sentence', async (args, message) => {
  const { code, stdout, stderr } = await runHere(['grant', ...args], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});
