// The rules of grants, as the operator meets them.

import { expect, test } from 'vitest';
import * as grants from '../../../src/services/operator/oauth-grants.ts';
import { statusOf } from '../../../src/services/sign-in/oauth-grants.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';
import { oauthGrant } from '../../support/grants.ts';
import { prismaOf } from '../../support/prisma.ts';

const gateway = await ownGateway();
const teamId = (await factories.team(gateway.app)).id;

const store = () => gateway.app.store;
const make = (options: Partial<Parameters<typeof oauthGrant>[1]> = {}) =>
  oauthGrant(gateway.app, { teamId, ...options });
const hence = (ms: number) => new Date(Date.now() + ms);

test('the operator lists a team’s grants or all, with their state, and revokes one by either id', async () => {
  const team = await factories.team(gateway.app);
  const [byId, byPublicId] = [await make({ teamId: team.id }), await make({ teamId: team.id })];
  const left = await make({ teamId: team.id });
  await prismaOf(store()).teamMember.deleteMany({ where: { userId: left.userId } });
  const expired = await make({ teamId: team.id, expiresAt: hence(-1000) });
  await grants.revoke(gateway.app, byId.id);
  await grants.revoke(gateway.app, byPublicId.publicId);
  const listed = await grants.list(gateway.app, { team: team.publicId });
  expect(listed.map((grant) => [grant.id, statusOf(grant, new Date())])).toEqual([
    [byId.id, 'revoked'],
    [byPublicId.id, 'revoked'],
    [left.id, 'suspended'],
    [expired.id, 'expired'],
  ]);
  const elsewhere = await make();
  expect((await grants.list(gateway.app)).map(({ id }) => id)).toEqual([
    ...listed.map(({ id }) => id),
    elsewhere.id,
  ]);
  await expect(grants.list(gateway.app, { team: 9999n })).rejects.toMatchObject({ code: 'not_found' });
  await expect(grants.revoke(gateway.app, 'nothing')).rejects.toMatchObject({ code: 'not_found' });
});

test('the operator sees a grant of a disabled person or client as suspended', async () => {
  const [ofPerson, ofClient] = [await make(), await make()];
  const disabledAt = new Date();
  await prismaOf(store()).user.update({ where: { id: ofPerson.userId }, data: { disabledAt } });
  await prismaOf(store()).oauthClient.update({ where: { id: ofClient.clientId }, data: { disabledAt } });
  const listed = await grants.list(gateway.app, { team: teamId });
  const found = listed.filter(({ id }) => id === ofPerson.id || id === ofClient.id);
  expect(found.map((grant) => statusOf(grant, new Date()))).toEqual(['suspended', 'suspended']);
});
