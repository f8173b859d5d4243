// The rules of teams and workspaces for the operator.
import { expect, test } from 'vitest';
import { create as createKey } from '../../../src/services/operator/api-keys.ts';
import { setSubdomain } from '../../../src/services/operator/subdomains.ts';
import * as teams from '../../../src/services/operator/teams.ts';
import * as workspaces from '../../../src/services/operator/workspaces.ts';
import { ownGateway } from '../../support/gateway.ts';

const gateway = await ownGateway({
  env: { SERVICE_HOST: 'gateway.example', AUTH_URL: 'https://id.gateway.example' },
});
const { app } = gateway;

test('a team has a default key for all of it only on request', async () => {
  const { team, defaultKey } = await teams.create(app, { name: '  Acme ', subdomain: 'Acme' });
  expect(team).toMatchObject({ name: 'Acme', subdomain: 'acme', timeZone: 'UTC', locale: 'en' });
  const send = (host: string) =>
    gateway.send('/api/v2/teams', {
      host,
      caller: { authorization: `Bearer ${defaultKey?.token}` },
    });
  for (const host of ['gateway.example', 'acme.gateway.example'])
    expect(await (await send(host)).json()).toMatchObject([{ id: Number(team.id), name: 'Acme' }]);
  await expect(
    createKey(app, { team: team.publicId, scopes: ['read'], isDefault: true }),
  ).rejects.toMatchObject({ code: 'conflict', errors: [{ field: 'default' }] });
  const without = await teams.create(app, { name: 'Other', withoutKey: true });
  expect(without.defaultKey).toBeNull();
  await createKey(app, { team: without.team.id, scopes: ['read'], isDefault: true });
});

test.each([
  [{ name: ' ' }, 'name', '1 to 100'],
  [{ name: 'x'.repeat(101) }, 'name', '1 to 100'],
  [{ name: 'a\u202eb' }, 'name', 'visible'],
  [{ name: 'X', subdomain: 'a.b' }, 'subdomain', 'one label'],
  [{ name: 'X', subdomain: '-a' }, 'subdomain', 'one label'],
  [{ name: 'X', subdomain: 'x'.repeat(64) }, 'subdomain', 'one label'],
  [{ name: 'X', subdomain: 'b\u00fccher' }, 'subdomain', 'one label'],
  [{ name: 'X', subdomain: 'xn--bcher-kva' }, 'subdomain', 'third and fourth'],
  [{ name: 'X', subdomain: 'www' }, 'subdomain', 'reserved'],
  [{ name: 'X', subdomain: 'id' }, 'subdomain', 'reserved'],
  [{ name: 'X', timeZone: ' ' }, 'time_zone', 'Europe/London'],
  [{ name: 'X', locale: 'de' }, 'locale', 'en, es, ja, pt'],
])('a team such as %j is refused, and nothing is made', async (input, field, message) => {
  const before = await teams.list(app);
  await expect(teams.create(app, input)).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ field, message: expect.stringContaining(message) }],
  });
  expect(await teams.list(app)).toEqual(before);
});

test('a subdomain belongs to one team or workspace, also with concurrent requests', async () => {
  const { team } = await teams.create(app, { name: 'Sub', subdomain: 'sub' });
  const taken = {
    code: 'conflict',
    errors: [expect.objectContaining({ code: 'taken', field: 'subdomain' })],
  };
  const make = (subdomain: string) => workspaces.create(app, { team: team.publicId, name: 'W', subdomain });
  await expect(make('SUB')).rejects.toMatchObject(taken);
  await expect(teams.create(app, { name: 'Sub 2', subdomain: 'sub' })).rejects.toMatchObject(taken);
  const both = await Promise.allSettled([make('race'), teams.create(app, { name: 'R', subdomain: 'race' })]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(both).toContainEqual({ status: 'rejected', reason: expect.objectContaining(taken) });
  await make('shop');
  expect(await workspaces.list(app, { team: team.id })).toContainEqual(
    expect.objectContaining({ subdomain: 'shop', teamId: team.id }),
  );
});

test('a command without a team explains how to list and create one', async () => {
  for (const team of ['999', 'nobody', '', 999n])
    await expect(workspaces.create(app, { team, name: 'W', subdomain: 'w' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^Team not found.*team create --name/),
    });
});

test('a new subdomain is the latest change, whatever the clock of this process', async () => {
  const late = { ...app, clock: () => new Date(Date.now() - 3_600_000) };
  const { team } = await teams.create(app, { name: 'Late' });
  const timeOf = async () =>
    (await app.store.pool.query('select updated_at from teams where id = $1', [team.id])).rows[0].updated_at;
  const before = await timeOf();
  await setSubdomain(late, 'teams', team.publicId, 'late');
  expect((await timeOf()).getTime()).toBeGreaterThan(before.getTime());
});
