// Every process serves a workspace under its new subdomain at once, with the tokens and the metadata of the new host.
import { afterAll, expect, test } from 'vitest';
import { databaseUrlOf } from '../commands/cli.ts';
import * as factories from '../support/factories.ts';
import { type Caller, openGateway, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { bearer, claimsOf, issue, sign } from '../support/oauth-tokens.ts';
import { json } from '../support/walk.ts';

const env = { LOOKUP_CACHE_MS: '60000' };
const gateway = await ownGateway({ env });
const other = openGateway({ databaseUrl: databaseUrlOf(gateway) }, { env });
afterAll(() => other.close());
const processes = [gateway, other];
const { app } = gateway;
const workspace = await factories.workspace(app, { subdomain: 'before' });
const { teamId } = workspace;
const caller = await factories.apiKey(app, { teamId });
const grant = await oauthGrant(app, { teamId, scopes: ['read'], expiresAt: new Date('2999-01-01') });

const METADATA = '/.well-known/oauth-protected-resource/api/v2';
const API = '/api/v2/teams';
const hostOf = (label: string) => `${label}.localhost:4000`;

/** A token for the API on a host. */
async function tokenFor(label: string): Promise<Caller> {
  const claims = { ...(await claimsOf(app, grant)), aud: `http://${hostOf(label)}/api/v2` };
  await issue(app, claims, grant.key);
  return bearer(await sign(app, claims));
}

/** The answers of each process on a host: the statuses of the metadata, and of the API for a key and for the tokens. */
function statuses(label: string, tokens: readonly Caller[]): Promise<number[][]> {
  const host = hostOf(label);
  return Promise.all(
    processes.map(({ send }) =>
      Promise.all(
        [send(METADATA, { host }), ...[caller, ...tokens].map((by) => send(API, { caller: by, host }))].map(
          async (answer) => (await answer).status,
        ),
      ),
    ),
  );
}

test('a new subdomain replaces the old one as host, audience and resource at once', async () => {
  const tokens = [await tokenFor('before'), await tokenFor('after')];
  expect(await statuses('before', tokens)).toEqual(processes.map(() => [200, 200, 200, 401]));
  const changed = await gateway.send(`/api/v2/workspaces/${workspace.id}`, {
    ...{ caller, method: 'PUT', body: JSON.stringify({ workspace: { subdomain: 'after' } }) },
    headers: { 'Content-Type': 'application/json' },
  });
  expect(changed.status).toBe(200);
  await expect.poll(() => statuses('before', tokens)).toEqual(processes.map(() => [421, 421, 421, 421]));
  await expect.poll(() => statuses('after', tokens)).toEqual(processes.map(() => [200, 200, 401, 200]));
  for (const { send } of processes)
    expect(await json(await send(METADATA, { host: hostOf('after') }))).toMatchObject({
      resource: `http://${hostOf('after')}/api/v2`,
    });
});

test('the new owner of a subdomain sees nothing of the previous owner, even with a token for it', async () => {
  const token = await tokenFor('given-up');
  const first = await factories.workspace(app, { teamId, subdomain: 'given-up' });
  await app.store.pool.query(`update workspaces set subdomain = 'moved-away' where id = $1`, [first.id]);
  await factories.workspace(app, { subdomain: 'given-up' });
  const read = () =>
    gateway.send(`/api/v2/workspaces/${first.id}`, { caller: token, host: hostOf('given-up') });
  await expect.poll(async () => (await read()).status).toBe(404);
});
