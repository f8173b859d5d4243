// All callers without permission, or with some: the columns of the access matrix, for one team with two workspaces and another team.
// Permitted callers have every scope.
import { SCOPES } from '../../src/auth/scopes.ts';
import type { App } from '../../src/context.ts';
import * as factories from './factories.ts';
import { anonymous, type Caller } from './gateway.ts';
import { oauthGrant } from './grants.ts';
import { bearer, bearerOf, claimsOf, issue, ownClaimsOf, sign } from './oauth-tokens.ts';
import type { Tenant } from './operations.ts';
import { prismaOf } from './prisma.ts';

/** A caller at a host. */
export interface Asking {
  readonly caller: Caller;
  readonly host?: string;
}

export interface Tenants {
  readonly ours: Tenant;
  /** Another workspace of the team. */
  readonly sibling: Tenant;
  /** A workspace of another team. */
  readonly theirs: Tenant;
}

/** Every scope except this one and its wildcard. */
export function scopesWithout(scope: string): string[] {
  const wildcard = scope.slice(scope.indexOf(':') + 1);
  return SCOPES.filter((other) => other !== scope && other !== wildcard);
}

/** Callers with invalid credentials: 401. */
export async function unknownCallers(app: App, { ours }: Tenants): Promise<Record<string, Asking>> {
  const teamId = ours.team.id;
  const prisma = prismaOf(app.store);
  const past = new Date(Date.now() - 1_000);
  const createdAt = new Date(Date.now() - 86_400_000);
  const grant = () => oauthGrant(app, { teamId, scopes: SCOPES });
  const revoked = await grant();
  const ended = await grant();
  const token = await grant();
  const disabled = await grant();
  const left = await grant();
  const client = await grant();
  const callers = {
    'no credentials': anonymous,
    'a scheme and nothing else': { authorization: 'Bearer' },
    'another scheme': { authorization: 'Basic Zm9vOmJhcg==' },
    'two tokens': { authorization: 'Bearer a b' },
    'no token of ours': bearer('not-a-token'),
    'an unknown key': bearer(`fgw_${'0'.repeat(49)}`),
    'a revoked key': await factories.apiKey(app, { teamId, createdAt, revokedAt: past }),
    'an expired key': await factories.apiKey(app, { teamId, createdAt, expiresAt: past }),
    'a token that was never issued': bearer(await sign(app, await claimsOf(app, token))),
    'a token of no signature': bearer(unsigned(await claimsOf(app, token))),
    'an expired token': await bearerOf(app, token, { iat: 1_000_000, exp: 1_000_300 }),
    'a token for another service': await bearerOf(app, token, { aud: 'https://other.example' }),
    'a revoked token': await bearerOf(app, token),
    'the token of a revoked grant': await bearerOf(app, revoked),
    'the token of a grant that has expired': await bearerOf(app, ended),
    'the token of a disabled person': await bearerOf(app, disabled),
    'the token of somebody who has left the team': await bearerOf(app, left),
    'the token of a disabled client': await bearerOf(app, client),
  };
  const { jti } = callers['a revoked token'];
  await prisma.oauthAccessToken.update({ where: { jti }, data: { revokedAt: past } });
  await prisma.oauthGrant.update({ where: { id: revoked.id }, data: { revokedAt: past } });
  await prisma.oauthGrant.update({ where: { id: ended.id }, data: { createdAt, expiresAt: past } });
  await prisma.user.update({ where: { id: disabled.userId }, data: { disabledAt: past } });
  await prisma.teamMember.deleteMany({ where: { userId: left.userId } });
  await prisma.oauthClient.update({ where: { id: client.clientId }, data: { disabledAt: past } });
  return Object.fromEntries(Object.entries(callers).map(([name, caller]) => [name, { caller }]));
}

function unsigned(claims: object): string {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  return `${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims)}.`;
}

/** Callers with every scope, but for another place: objects there are not found. */
export async function strangers(app: App, tenants: Tenants): Promise<Record<string, Asking>> {
  const { ours, sibling, theirs } = tenants;
  const key = await factories.apiKey(app, { teamId: ours.team.id });
  const narrowed = await bearerOf(app, await grantOf(app, ours, [sibling]));
  await factories.customDomain(app, sibling.workspace.id, 'sibling.example');
  await factories.customDomain(app, theirs.workspace.id, 'theirs.example');
  return {
    'another team': { caller: await factories.apiKey(app, { teamId: theirs.team.id }) },
    'another team, on our host': {
      caller: await factories.apiKey(app, { teamId: theirs.team.id }),
      host: hostOf(ours),
    },
    'another team’s token': { caller: await bearerOf(app, await grantOf(app, theirs, null)) },
    'our key on the host of another team': { caller: key, host: hostOf(theirs) },
    'our key on the domain of another team': { caller: key, host: 'theirs.example' },
    'our key on the host of another workspace': { caller: key, host: hostOf(sibling) },
    'our key on the domain of another workspace': { caller: key, host: 'sibling.example' },
    'a token for another workspace': { caller: narrowed },
    'a token for another workspace, on our host': { caller: narrowed, host: hostOf(ours) },
    'a token for another workspace, on its own': { caller: narrowed, host: hostOf(sibling) },
  };
}

/** Credentials that are limited to one workspace of their team, with every scope, in every possible way. */
export async function limitedCallers(app: App, tenant: Tenant): Promise<Record<string, Caller>> {
  const teamId = tenant.team.id;
  const workspaceIds = [tenant.workspace.id];
  const scope = SCOPES.join(' ');
  const client = await factories.oauthClient(app, { teamId, workspaceIds, wholeTeam: false });
  const claims = ownClaimsOf(app, client, scope);
  await issue(app, claims, null);
  return {
    'a grant of one workspace': await bearerOf(app, await grantOf(app, tenant, [tenant])),
    'a grant of the team, a token of one workspace': await bearerOf(app, await grantOf(app, tenant, null), {
      workspaces: workspaceIds.map(String),
    }),
    'a grant of the team, a token of no workspace': await bearerOf(app, await grantOf(app, tenant, null), {
      workspaces: [],
    }),
    'a client of one workspace': bearer(await sign(app, claims)),
  };
}

/** Permitted callers of every kind. */
export async function owners(app: App, { ours }: Tenants): Promise<Record<string, Asking>> {
  const caller = await factories.apiKey(app, { teamId: ours.team.id });
  await factories.customDomain(app, ours.workspace.id, 'ours.example');
  return {
    'a key': { caller },
    'a key on the workspace’s host': { caller, host: hostOf(ours) },
    'a key on the workspace’s domain': { caller, host: 'ours.example' },
    'a token for the team': { caller: await bearerOf(app, await grantOf(app, ours, null)) },
    'a token for the workspace': { caller: await bearerOf(app, await grantOf(app, ours, [ours])) },
  };
}

function grantOf(app: App, { team }: Tenant, tenants: readonly Tenant[] | null) {
  const workspaceIds = tenants?.map(({ workspace }) => workspace.id);
  return oauthGrant(app, { teamId: team.id, scopes: SCOPES, ...(workspaceIds && { workspaceIds }) });
}

function hostOf({ workspace }: Tenant): string {
  return `${workspace.subdomain}.localhost`;
}
