// `token` on a PostgreSQL server that DATABASE_URL names.
import { expect, test } from 'vitest';
import { SCOPES } from '../../src/auth/scopes.ts';
import { gatewayForCommands, runHere, runJsonHere } from './cli.ts';

interface Printed {
  id: number;
  team_id: number;
  token: string;
  scopes: string[];
  status: string;
  expires_at: string | null;
  revoked_at: string | null;
}

const { gateway, env, team } = await gatewayForCommands();

const create = (...args: string[]) =>
  runJsonHere<Printed>(
    ['token', 'create', '--team', String(team.id), '--scopes', 'contacts:read read', ...args],
    env,
  );

async function answerTo(token: string): Promise<number> {
  return (await gateway.send('/api/v2/teams', { caller: { authorization: `Bearer ${token}` } })).status;
}

test('a key is printed once, with integer ids, and works', async () => {
  const made = await create('--name', 'Nightly export', '--expires', '90d');
  expect(made).toMatchObject({
    team_id: Number(team.id),
    name: 'Nightly export',
    scopes: ['contacts:read', 'read'],
    status: 'active',
  });
  expect(Date.parse(made.expires_at ?? '') - Date.now()).toBeGreaterThan(89.9 * 86_400_000);
  expect(await answerTo(made.token)).toBe(200);
  const { stdout } = await runHere(['token', 'list', '--json'], env);
  expect(stdout).not.toContain(made.token);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ id: made.id }));
});

test('a public id can identify the team', async () => {
  const args = ['token', 'create', '--team', team.publicId, '--scopes', 'read'];
  expect(await runJsonHere(args, env)).toMatchObject({ team_id: Number(team.id) });
});

test.concurrent.each([
  [['--team', '1', '--scopes', 'contacts:raed'], SCOPES.join(', ')],
  [['--team', '1', '--scopes', ' '], 'at least one scope'],
  [['--team', '1', '--scopes', 'read', '--expires', 'soon'], '90d'],
  [['--team', '1', '--scopes', 'read', '--expires', '2020-01-01'], 'in the future'],
  [['--team', '1', '--scopes', 'read', '--name', ' '], 'name'],
  [['--team', '999', '--scopes', 'read'], 'Team not found'],
  [['--team', '1e3', '--scopes', 'read'], 'Team not found'],
])('token create %j is refused with a sentence', async (args, message) => {
  const { code, stdout, stderr } = await runHere(['token', 'create', ...args], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});

test('rotate --overlap keeps the old key valid for a while; revoke ends it at once', async () => {
  const old = await create();
  const next = await runJsonHere<Printed & { replaced: Printed }>(
    ['token', 'rotate', String(old.id), '--overlap', '24h'],
    env,
  );
  expect(next).toMatchObject({ scopes: old.scopes, replaced: { id: old.id, status: 'ending' } });
  expect([await answerTo(old.token), await answerTo(next.token)]).toEqual([200, 200]);
  expect(await runJsonHere(['token', 'revoke', String(old.id)], env)).toMatchObject({ status: 'revoked' });
  expect([await answerTo(old.token), await answerTo(next.token)]).toEqual([401, 200]);
});

test('the text list is an aligned table', async () => {
  const { stdout } = await runHere(['token', 'list', '--team', String(team.id)], env);
  const [heading = '', first = ''] = stdout.split('\n');
  expect(first.indexOf('active')).toBe(heading.indexOf('STATUS'));
});
