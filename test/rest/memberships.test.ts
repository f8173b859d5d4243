// The memberships in teams and users, over both faces: who belongs to the caller's team, and with which role.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { bearerOf } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';
import { json } from '../support/walk.ts';

type Shown = { readonly id: number; readonly memberships: readonly { readonly user_id: number }[] };

const gateway = await ownGateway();
const { app } = gateway;
const ours = await factories.team(app);
const theirs = await factories.team(app);
const { subdomain } = await factories.workspace(app, { teamId: ours.id });
const owner = await factories.user(app, { teamId: ours.id, name: 'Grace Hopper' });
const member = await factories.user(app, { teamId: ours.id, role: 'member' });
const joinedAt = new Date('2026-03-04T05:06:07.008Z');
// The owner belongs to both teams, and the other team has somebody of its own.
await prismaOf(app.store).teamMember.create({
  data: { teamId: theirs.id, userId: owner.id, role: 'member', createdAt: joinedAt },
});
await prismaOf(app.store).teamMember.updateMany({
  where: { teamId: ours.id },
  data: { createdAt: joinedAt },
});
const stranger = await factories.user(app, { teamId: theirs.id });
const keyOf = (teamId: bigint) =>
  factories.apiKey(app, { teamId, scopes: ['account:read', 'account:write'] });
const caller = await keyOf(ours.id);
const person = await bearerOf(
  app,
  await oauthGrant(app, { teamId: ours.id, userId: owner.id, scopes: ['account:read'] }),
);

const read = async <Result = Shown>(path: string, by: Caller = caller, host = 'localhost') =>
  json<Result>(await gateway.send(`/api/v2/${path}`, { caller: by, host }));
const idsIn = ({ memberships }: Shown) => memberships.map(({ user_id }) => user_id);
const everybody = [owner, member].map(({ id }) => Number(id));

const OWN = {
  user_id: Number(owner.id),
  team_id: Number(ours.id),
  role: 'owner',
  email: owner.email,
  first_name: 'Grace',
  last_name: 'Hopper',
  created_at: joinedAt.toISOString(),
};

test('a team shows its people with their roles, alone and in the list', async () => {
  const team = await read(`teams/${ours.id}`);
  expect(team.memberships).toEqual([OWN, expect.objectContaining({ user_id: everybody[1], role: 'member' })]);
  expect(await read('teams')).toEqual([team]);
});

test('a user shows only the membership in the caller’s team; a service user has none', async () => {
  expect((await read(`users/${owner.id}`)).memberships).toEqual([OWN]);
  expect((await read('me', person)).memberships).toEqual([OWN]);
  expect((await read<Shown[]>('users')).map(idsIn)).toEqual([[], ...everybody.map((id) => [id])]);
  const seenThere = await read(`users/${owner.id}`, await keyOf(theirs.id));
  expect(seenThere.memberships).toEqual([{ ...OWN, team_id: Number(theirs.id), role: 'member' }]);
  expect(idsIn(await read(`teams/${theirs.id}`, await keyOf(theirs.id)))).toEqual(
    [owner, stranger].map(({ id }) => Number(id)),
  );
});

test('on the host of a workspace, only the caller’s own membership is shown', async () => {
  const host = `${subdomain}.localhost`;
  expect(idsIn(await read(`teams/${ours.id}`, caller, host))).toEqual([]);
  expect(idsIn(await read(`teams/${ours.id}`, person, host))).toEqual([everybody[0]]);
  expect((await read<Shown[]>('users', person, host)).map(idsIn)).toEqual([[everybody[0]]]);
});

test('over GraphQL a team and its users have the same ones', async () => {
  const query = `query ($id: ID!) { team(by: { id: $id }) {
    memberships { role createdAt user { emailAddress } team { id } }
    users(first: 10) { nodes { emailAddress memberships { role team { id } } } } } }`;
  const ask = async (by: Caller, host = 'localhost') => {
    const variables = { id: btoa(`Team:${ours.id}`) };
    const { data, errors } = await post<{ team: object }>(
      gateway,
      { query, variables },
      { caller: by, host },
    );
    expect(errors).toBeUndefined();
    return data?.team;
  };
  const team = { id: btoa(`Team:${ours.id}`) };
  const shown = [
    { role: 'OWNER', user: { emailAddress: owner.email }, team, createdAt: joinedAt.toISOString() },
    { role: 'MEMBER', user: { emailAddress: member.email }, team, createdAt: joinedAt.toISOString() },
  ];
  const nodes = [
    { emailAddress: '', memberships: [] },
    { emailAddress: owner.email, memberships: [{ role: 'OWNER', team }] },
    { emailAddress: member.email, memberships: [{ role: 'MEMBER', team }] },
  ];
  expect(await ask(caller)).toEqual({ memberships: shown, users: { nodes } });
  expect(await ask(person, `${subdomain}.localhost`)).toEqual({
    memberships: shown.slice(0, 1),
    users: { nodes: nodes.slice(1, 2) },
  });
});

test('a change of the team answers with them; its precondition is the entity tag of a read', async () => {
  const path = `/api/v2/teams/${ours.id}`;
  const change = (by: Caller, name: string, headers = {}) =>
    gateway.send(path, {
      ...{ caller: by, method: 'PUT', body: JSON.stringify({ name }) },
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const tag = (await gateway.send(path, { caller })).headers.get('ETag') ?? '';
  const changed = await change(caller, 'Renamed', { 'If-Match': tag });
  expect(changed.status).toBe(200);
  expect(idsIn(await json<Shown>(changed))).toEqual(everybody);
  expect((await change(caller, 'Late', { 'If-Match': tag })).status).toBe(412);
  const now = (await gateway.send(path, { caller })).headers.get('ETag') ?? '';
  await factories.user(app, { teamId: ours.id });
  expect((await change(caller, 'Late', { 'If-Match': now })).status).toBe(412);
  // Who may not read the team does not get them.
  const writer = await factories.apiKey(app, { teamId: ours.id, scopes: ['account:write'] });
  expect(await json(await change(writer, 'Written'))).not.toHaveProperty('memberships');
});

test('a team shows the first 100', async () => {
  const { id } = await factories.team(app);
  const people: bigint[] = [];
  for (let count = 0; count < 101; count++) people.push((await factories.user(app, { teamId: id })).id);
  expect(idsIn(await read(`teams/${id}`, await keyOf(id)))).toEqual(people.slice(0, 100).map(Number));
});
