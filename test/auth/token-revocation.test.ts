// A revocation takes effect in every process within seconds, however long tokens are cached.
import { afterAll, expect, test } from 'vitest';
import { closeApp, createApp } from '../../src/app.ts';
import { signingKeys } from '../../src/auth/signing-keys.ts';
import * as signing from '../../src/services/operator/signing-keys.ts';
import { type OauthGrant, revokeGrant } from '../../src/store/accounts/oauth-grants.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createCheckedServer, createGateway, TEST_SECRET_KEY } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { intercept } from '../support/graphql-statements.ts';
import { bearerOf } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';

const IN_TIME_MS = 1_500;

const here = await createGateway({ env: { LOOKUP_CACHE_MS: '2000' } });
const databaseUrl = String(here.app.store.connection.connectionString);
const there = createApp(
  here.app.config,
  { databaseUrl, secretKeys: () => [TEST_SECRET_KEY] },
  { log: here.app.log },
);
const server = createCheckedServer(there);
const askThere = async ({ authorization }: Caller) => {
  const headers = { Authorization: authorization ?? '' };
  return (await server.fetch(new Request('http://localhost:4000/api/v2/teams', { headers }))).status;
};
const teamId = (await factories.team(here.app)).id;
afterAll(async () => {
  await closeApp(there);
  await here.close();
});

const prisma = () => prismaOf(here.app.store);
const askHere = async (caller: Caller) => (await here.send('/api/v2/teams', { caller })).status;

const POLL = { timeout: 10_000, interval: 20 };

async function milliseconds(caller: Caller): Promise<number> {
  const startedAt = performance.now();
  await expect.poll(async () => [await askThere(caller), await askHere(caller)], POLL).not.toContain(200);
  return performance.now() - startedAt;
}

test('a cached token needs no statement', async () => {
  const caller = await bearerOf(here.app, await oauthGrant(here.app, { teamId, scopes: ['read'] }));
  const lookups = async () => {
    const names: string[] = [];
    const stop = intercept(here, (name, run) => {
      if (/^oauth_|signing/.test(name)) names.push(name);
      return run();
    });
    expect(await askHere(caller)).toBe(200);
    stop();
    return names;
  };
  await expect.poll(lookups, POLL).toEqual([]);
});

test.each<[string, (of: OauthGrant & { jti: string }) => Promise<unknown>]>([
  [
    'a revoked token',
    ({ jti }) => prisma().oauthAccessToken.update({ where: { jti }, data: { revokedAt: new Date() } }),
  ],
  ['a revoked grant', ({ key }) => revokeGrant(here.app.store, { key }, new Date())],
  [
    'a disabled person',
    ({ userId: id }) => prisma().user.update({ where: { id }, data: { disabledAt: new Date() } }),
  ],
  ['a person who left the team', ({ userId }) => prisma().teamMember.deleteMany({ where: { userId } })],
  [
    'a disabled client',
    ({ clientId: id }) => prisma().oauthClient.update({ where: { id }, data: { disabledAt: new Date() } }),
  ],
  ['a removed client', ({ clientId: id }) => prisma().oauthClient.delete({ where: { id } })],
  [
    'a leaked signing key',
    async () => {
      const { active } = await signingKeys(here.app);
      await signing.rotate(here.app, { now: true });
      await signing.remove(here.app, active.kid);
    },
  ],
])('%s is refused on every process', async (_, end) => {
  const grant = await oauthGrant(here.app, { teamId, scopes: ['read'] });
  const caller = await bearerOf(here.app, grant);
  for (let times = 0; times < 5; times++) {
    expect([await askHere(caller), await askThere(caller)]).toEqual([200, 200]);
  }
  await end({ ...grant, jti: caller.jti });
  expect(await milliseconds(caller)).toBeLessThan(IN_TIME_MS);
});
