// Who the demo belongs to: the teams, each with its default API key, their workspaces with custom domains, and the person who owns every
// team. Whoever tries the gateway signs in as her.
import { insertSite } from '../changing/sites.ts';
import type { TeamData, WorkspaceData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import type { Named } from './named.ts';

/** What the store keeps of a new API key; whoever makes it keeps the key itself. */
export type IssueKey = (teamId: bigint) => Promise<{ hash: Uint8Array<ArrayBuffer>; hint: string }>;
/** Makes a password and keeps it; what it returns is the hash to store. */
export type IssuePassword = () => Promise<string>;

export interface DemoWorkspace {
  readonly id: bigint;
  readonly customDomainIds: Named;
}

export const DEMO_EMAIL = 'ada@example.com';
const NAME = 'Ada Lovelace';
const AGE_DAYS = { team: 900, workspace: 850 };

/** Inserts the team and its key; returns the team's id. */
export async function insertDemoTeam(demo: Demo, data: TeamData, issueKey: IssueKey): Promise<bigint> {
  const { tx } = demo;
  const createdAt = demo.daysAgo(AGE_DAYS.team + demo.random.next() * 100);
  const { name, subdomain, timeZone, locale } = data;
  const { id: teamId } = await tx.team.create({
    data: { name, subdomain, timeZone, locale, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
  const { hash: tokenHash, hint } = await issueKey(teamId);
  const key = { teamId, name: 'Default API key', isDefault: true, tokenHash, hint };
  await tx.apiKey.create({ data: { ...key, scopes: ['read', 'write'], createdAt: demo.daysAgo(0) } });
  return teamId;
}

/** Inserts one workspace; what it holds comes later. */
export async function insertDemoWorkspace(
  demo: Demo,
  teamId: bigint,
  { name, subdomain, customDomains }: WorkspaceData,
): Promise<DemoWorkspace> {
  const { tx } = demo;
  const createdAt = demo.daysAgo(AGE_DAYS.workspace + demo.random.next() * 40);
  const { id } = await tx.workspace.create({
    data: { teamId, name, subdomain, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
  await insertSite(tx, { id, name, createdAt });
  const domains = await tx.customDomain.createManyAndReturn({
    data: customDomains.map((host) => ({ workspaceId: id, host, createdAt })),
  });
  return { id, customDomainIds: new Map(domains.map((domain) => [domain.host, domain.id])) };
}

/** Inserts the person, unless somebody has her e-mail address already: people may be there before any team is. */
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
  const createdAt = demo.daysAgo(0);
  const passwordHash = await issuePassword();
  const { id: userId } = await tx.user.create({
    data: { email: DEMO_EMAIL, name: NAME, passwordHash, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
  await tx.teamMember.createMany({
    data: teamIds.map((teamId) => ({ userId, teamId, role: 'owner' as const, createdAt })),
  });
}
