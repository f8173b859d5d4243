// A person's grants, as they see and revoke them, and the possible choices.
import { describe, expect, test } from 'vitest';
import { grantable, SCOPES } from '../../src/auth/scopes.ts';
import * as consents from '../../src/services/sign-in/oauth-consents.ts';
import { revokeGrant, saveGrant } from '../../src/store/accounts/oauth-grants.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { oauthGrant, tokensOf } from '../support/grants.ts';

const gateway = await sharedGateway();
const workspace = await factories.workspace(gateway.app);
const teamId = workspace.teamId;
const workspaceId = workspace.id;

const store = () => gateway.app.store;
const make = (options: Partial<Parameters<typeof oauthGrant>[1]> = {}) =>
  oauthGrant(gateway.app, { teamId, ...options });
const hence = (ms: number) => new Date(Date.now() + ms);

describe('a person', () => {
  test('sees what they granted and can revoke, and nobody else’s', async () => {
    const { id: userId } = await factories.user(gateway.app);
    const whole = await make({ userId });
    const some = await make({ userId, workspaceIds: [workspaceId] });
    await make();
    const ended = await make({ userId });
    await revokeGrant(store(), { key: ended.key }, new Date());
    await make({ userId, expiresAt: hence(-1000) });
    // Without consent yet.
    const { id: clientId } = await factories.oauthClient(gateway.app);
    const expiresAt = hence(60_000);
    await saveGrant(store(), { key: 'unfinished', userId, clientId, payload: {}, expiresAt });
    const listed = await consents.listOfUser(gateway.app, userId);
    expect(listed.map(({ publicId }) => publicId)).toEqual([whole.publicId, some.publicId]);
    expect(listed.map(({ workspaces }) => workspaces?.map(({ id }) => id) ?? null)).toEqual([
      null,
      [String(workspaceId)],
    ]);
    expect(
      JSON.stringify(listed, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(whole.key);
  });

  test('sees one entry for a client and a team, with all granted scopes, and revokes them together', async () => {
    const { id: userId } = await factories.user(gateway.app);
    const { id: clientId } = await factories.oauthClient(gateway.app);
    const second = await factories.workspace(gateway.app, { teamId });
    const other = (await factories.team(gateway.app)).id;
    const mine = { userId, clientId };
    const first = await make({ ...mine, workspaceIds: [second.id], scopes: ['funnels:read'] });
    const again = await make({ ...mine, workspaceIds: [workspaceId, second.id], scopes: ['contacts:read'] });
    const kept = [
      await make({ ...mine, teamId: other }),
      await make({ userId }),
      await make({ clientId, scopes: ['write'] }),
    ];
    const [entry, ...rest] = await consents.listOfUser(gateway.app, userId);
    expect(entry).toMatchObject({
      publicId: first.publicId,
      workspaces: [{ id: String(workspaceId) }, { id: String(second.id) }],
      scopes: ['contacts:read', 'funnels:read'],
      createdAt: first.createdAt,
      againAt: again.createdAt,
    });
    expect(rest.map(({ againAt }) => againAt)).toEqual([null, null]);
    const whole = await make(mine);
    expect((await consents.listOfUser(gateway.app, userId))[0]?.workspaces).toBeNull();
    // Any of its grants stands for the entry, one that has ended since the page was shown as well.
    await revokeGrant(store(), { key: again.key }, new Date());
    await consents.withdraw(gateway.app, userId, again.publicId);
    for (const grant of [first, again, whole])
      expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: true, refreshTokens: 0 });
    for (const grant of kept)
      expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: false, refreshTokens: 1 });
    expect(await consents.listOfUser(gateway.app, userId)).toHaveLength(2);
  });

  test('revokes their own: its tokens end; a second time is not an error', async () => {
    const grant = await make();
    for (const _ of [1, 2]) await consents.withdraw(gateway.app, grant.userId, grant.publicId);
    expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: true, refreshTokens: 0 });
    expect(await consents.listOfUser(gateway.app, grant.userId)).toEqual([]);
  });

  test('cannot revoke another person’s grant, or an unknown one', async () => {
    const [mine, theirs] = [await make(), await make()];
    for (const name of [theirs.publicId, String(mine.id), 'nothing', '', "' or true --"]) {
      await expect(consents.withdraw(gateway.app, mine.userId, name)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    expect(await tokensOf(gateway.app, theirs)).toEqual({ revoked: false, refreshTokens: 1 });
  });
});

describe('a grant may contain', () => {
  const workspaces = [
    { id: 1n, name: 'One' },
    { id: 2n, name: 'Two' },
  ];
  const choose = (
    role: 'owner' | 'admin' | 'member',
    scopes: string[],
    workspaceIds: bigint[] | null = null,
  ) => consents.requireGrantable({ role, workspaces }, { scopes, workspaceIds });

  test('everything for owners and admins, and nothing that changes the team for members', () => {
    expect([...grantable('owner')]).toEqual(SCOPES);
    expect([...grantable('admin')]).toEqual(SCOPES);
    const withheld = SCOPES.filter((scope) => !grantable('member').has(scope));
    expect(withheld).toEqual(['account:write', 'write']);
  });

  test.each(['account:write', 'write', 'made:up'])('a member cannot grant %s', (scope) => {
    expect(() => choose('member', ['read', scope])).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  test('not an empty choice, or a workspace of another team', () => {
    expect(() => choose('owner', [])).toThrow('Tick at least one thing');
    expect(() => choose('owner', ['read'], [])).toThrow('at least one workspace');
    for (const refused of [
      () => choose('owner', []),
      () => choose('owner', ['read'], []),
      () => choose('owner', ['read'], [1n, 3n]),
      () => choose('owner', ['made:up']),
    ]) {
      expect(refused).toThrow(expect.objectContaining({ code: 'invalid' }));
    }
    choose('owner', ['write', 'account:write'], [2n]);
    choose('member', ['read'], null);
  });
});
