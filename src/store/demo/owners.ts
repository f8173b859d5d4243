// Who the demo belongs to: the teams, each with its default API key, their workspaces with custom domains, and the person who owns every
// team. Whoever tries the gateway signs in as her.
import { randomBytes } from 'node:crypto';
import { insertSite } from '../changing/sites.ts';
import type { TeamData, WorkspaceData } from './data/shape.ts';
import { type Demo, type Filling, startFilling } from './demo.ts';

/** What the store keeps of a new API key; whoever makes it keeps the key itself. */
export type IssueKey = () => Promise<{ hash: Uint8Array<ArrayBuffer>; hint: string }>;
/** Makes a password and keeps it; what it returns is the hash to store. */
export type IssuePassword = () => Promise<string>;

export const DEMO_EMAIL = 'ada@example.com';
const NAME = 'Ada Lovelace';
const AGE_DAYS = { person: 1_000, team: 900, workspace: 850, grant: 45 };

/** A platform that she has connected. It is public, and what it redirects to is nobody's: no code and no token of it is anywhere. */
const CLIENT = {
  id: 'fgc_mailconnectorofdemo',
  name: 'Mail Connector',
  redirectUri: 'https://connector.example/oauth/callback',
  scopes: ['contacts:read', 'funnels:read', 'webhooks:read'],
  grantDays: 365,
};

/** Inserts the team and its key; returns the team's id. */
export async function insertDemoTeam(demo: Demo, data: TeamData, issueKey: IssueKey): Promise<bigint> {
  const { tx } = demo;
  const createdAt = demo.daysAgo(AGE_DAYS.team + demo.random.next() * 100);
  const { workspaces: _, ...team } = data;
  const { id: teamId } = await tx.team.create({
    data: { ...team, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
  const { hash: tokenHash, hint } = await issueKey();
  const key = { teamId, name: 'Default API key', isDefault: true, tokenHash, hint };
  await tx.apiKey.create({ data: { ...key, scopes: ['read', 'write'], createdAt } });
  return teamId;
}

/** Inserts one workspace with its custom domains; what it holds comes later. */
export async function insertDemoWorkspace(demo: Demo, teamId: bigint, data: WorkspaceData): Promise<Filling> {
  const { name, subdomain, customDomains } = data;
  const { tx } = demo;
  const createdAt = demo.daysAgo(AGE_DAYS.workspace + demo.random.next() * 40);
  const { id } = await tx.workspace.create({
    data: { teamId, name, subdomain, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
  await insertSite(tx, { id, name, createdAt });
  const workspace = startFilling(demo, id, data);
  await workspace.insert('CustomDomain', customDomains, (host) => ({ host, createdAt }));
  return workspace;
}

/** Inserts the person, with her grant, unless somebody has her e-mail address already: people may be there before any team is. */
export async function insertPerson(
  demo: Demo,
  teamIds: readonly bigint[],
  issuePassword: IssuePassword,
): Promise<void> {
  const { tx } = demo;
  // So that nobody takes the address in between.
  await tx.$executeRaw`lock table users in share row exclusive mode`;
  const there = await tx.user.findFirst({
    where: { email: { equals: DEMO_EMAIL, mode: 'insensitive' } },
    select: { id: true },
  });
  if (there !== null) return;
  const createdAt = demo.daysAgo(AGE_DAYS.person);
  const passwordHash = await issuePassword();
  const joined = { role: 'owner', createdAt: demo.daysAgo(AGE_DAYS.team) } as const;
  const user = await tx.user.create({
    data: {
      ...{ email: DEMO_EMAIL, name: NAME, passwordHash, createdAt, updatedAt: createdAt },
      memberships: { create: teamIds.map((teamId) => ({ ...joined, teamId })) },
    },
  });
  const [teamId] = teamIds;
  if (teamId !== undefined) await insertGrant(demo, teamId, user);
}

/** Inserts what the person has granted to a client on the team's behalf. */
async function insertGrant(
  { tx, daysAgo }: Demo,
  teamId: bigint,
  user: { readonly id: bigint; readonly publicId: string },
): Promise<void> {
  const { id: clientId, name, redirectUri, scopes, grantDays } = CLIENT;
  const createdAt = daysAgo(AGE_DAYS.grant);
  const expiresAt = daysAgo(AGE_DAYS.grant - grantDays);
  const metadata = {
    ...{ client_name: name, redirect_uris: [redirectUri], scope: scopes.join(' ') },
    ...{ grant_types: ['authorization_code'], response_types: ['code'], application_type: 'web' },
    token_endpoint_auth_method: 'none',
  };
  await tx.oauthClient.create({ data: { id: clientId, name, metadata, createdAt } });
  const key = randomBytes(32).toString('base64url');
  const secondsOf = (time: Date) => Math.floor(time.getTime() / 1_000);
  const payload = {
    ...{ kind: 'Grant', jti: key, accountId: user.publicId, clientId },
    ...{ iat: secondsOf(createdAt), exp: secondsOf(expiresAt) },
  };
  await tx.oauthGrant.create({
    data: { ...{ key, userId: user.id, clientId, teamId, scopes, payload }, createdAt, expiresAt },
  });
}
