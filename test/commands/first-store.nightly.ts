// A real store from nothing, by the commands that its operator types; ids and public ids alike.
import { expect, test } from 'vitest';
import { createGateway } from '../support/gateway.ts';
import { databaseUrlOf, runHere, runJsonHere } from './cli.ts';

interface Printed {
  id: number;
  public_id: string;
  token: string;
}

test('creates team, workspace, domain, owner, key and client, each printing one object with its id', async () => {
  const gateway = await createGateway();
  const env = { DATABASE_URL: databaseUrlOf(gateway) };
  const run = <T = Printed>(line: string) => runJsonHere<T>(line.split(' '), env);
  expect((await runHere(['team', 'list'], env)).stdout).toContain('team create');

  const team = await run('team create --name Acme');
  expect(team).toMatchObject({ id: 1, name: 'Acme', subdomain: null, token: expect.stringMatching(/^fgw_/) });
  const shop = await run('workspace create --team 1 --name Shop --subdomain shop');
  expect(shop).toMatchObject({ id: 1, team_id: 1, subdomain: 'shop', domains: [] });
  const blog = await run(`workspace create --team ${team.public_id} --name Blog --subdomain blog`);
  expect(await run(`workspace domain add ${blog.public_id} blog.example.com`)).toMatchObject({
    workspace_id: blog.id,
    domain: 'blog.example.com',
  });
  expect(await run('workspace domain add 1 shop.example.com')).toMatchObject({ id: 2, workspace_id: 1 });
  expect(await run<unknown[]>(`workspace domain list ${shop.public_id}`)).toHaveLength(1);
  expect(await run<unknown[]>(`workspace list --team ${team.public_id}`)).toMatchObject([
    { id: 1, domains: ['shop.example.com'] },
    { id: 2, domains: ['blog.example.com'] },
  ]);
  expect(await run<unknown[]>('team list')).toMatchObject([{ id: 1, workspaces: 2 }]);
  expect(await run('workspace domain remove blog.example.com')).toMatchObject({ workspace_id: 2 });
  expect(await run<unknown[]>('workspace domain list')).toHaveLength(1);

  const owner = await run('user create --email ada@example.com --name Ada --team 1 --role owner');
  expect(owner).toMatchObject({ id: 2, teams: [{ team_id: 1, role: 'owner' }] });
  const key = await run(`token create --team ${team.public_id} --scopes contacts:read`);
  const answer = await gateway.send('/api/v2/workspaces/1/contacts', {
    caller: { authorization: `Bearer ${key.token}` },
  });
  expect([answer.status, await answer.json()]).toEqual([200, []]);
  await gateway.close();
});

test('every command with an id accepts the public id too', async () => {
  const gateway = await createGateway();
  const env = { DATABASE_URL: databaseUrlOf(gateway) };
  const run = <T = Printed>(...args: string[]) => runJsonHere<T>(args, env);
  const team = await run('team', 'create', '--name', 'Acme');
  const made = await run('workspace', 'create', '--team', '1', '--name', 'Shop', '--subdomain', 'shop');
  const user = await run('user', 'create', '--email', 'ada@example.com', '--name', 'Ada');
  for (const [t, w] of [
    [String(team.id), String(made.id)],
    [team.public_id, made.public_id],
  ] as const) {
    const key = await run('token', 'create', '--team', t, '--scopes', 'read');
    const next = await run('token', 'rotate', t === '1' ? String(key.id) : key.public_id);
    await run('token', 'revoke', t === '1' ? String(next.id) : next.public_id);
    await run('seed', '--contacts', '1', '--workspace', w);
    const client = ['client', 'create', '--name', 'C', '--grant', 'client_credentials', '--scopes', 'read'];
    expect(await run(...client, '--team', t, '--workspaces', w)).toMatchObject({ workspace_ids: [made.id] });
    const who = t === '1' ? String(user.id) : user.public_id;
    await run('user', 'join', who, '--team', t, '--role', 'admin');
    await run('user', 'leave', who, '--team', t);
    for (const action of ['set-password', 'disable', 'enable']) await run('user', action, who);
    for (const noun of ['token', 'user', 'client', 'grant', 'workspace'])
      expect(await run<unknown[]>(noun, 'list', '--team', t)).toEqual(expect.any(Array));
  }
  await gateway.close();
});

test('reports missing or wrong options, and creates nothing', async () => {
  const gateway = await createGateway();
  const env = { DATABASE_URL: databaseUrlOf(gateway) };
  for (const [args, code, message] of [
    [['team', 'create'], 2, '--name'],
    [['workspace', 'create', '--team', '7', '--name', 'X', '--subdomain', 'x'], 1, 'team create --name'],
    [['token', 'create', '--team', '7', '--scopes', 'read'], 1, 'team create --name'],
    [['workspace', 'domain', 'add', '7', 'shop.example.com'], 1, 'workspace create --team'],
    [['seed', '--contacts', '1', '--workspace', '99'], 1, 'Workspace not found'],
  ] as const) {
    const result = await runHere(args, env);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  }
  await gateway.close();
});
