// The demo's teams, each with its default API key.
import type { TeamData } from './data/shape.ts';
import type { Demo } from './demo.ts';

/** What the store keeps of a new API key; whoever makes it keeps the key itself. */
export type IssueKey = (teamId: bigint) => Promise<{ hash: Uint8Array<ArrayBuffer>; hint: string }>;

const AGE_DAYS = 900;

/** Inserts the team and its key; returns the team's id. */
export async function insertDemoTeam(demo: Demo, data: TeamData, issueKey: IssueKey): Promise<bigint> {
  const { tx } = demo;
  const createdAt = demo.daysAgo(AGE_DAYS + demo.random.next() * 100);
  const { name, subdomain, timeZone, locale } = data;
  const { id: teamId } = await tx.team.create({
    data: { name, subdomain, timeZone, locale, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
  const { hash, hint } = await issueKey(teamId);
  await tx.apiKey.create({
    data: {
      teamId,
      name: 'Default API key',
      isDefault: true,
      tokenHash: hash,
      hint,
      scopes: ['read', 'write'],
      createdAt: demo.daysAgo(0),
    },
  });
  return teamId;
}
