// The demo's teams, each with its default API key.
import { allocateIds } from '../public-ids.ts';
import type { TeamData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import { onlyOne } from './named.ts';

/** What the store keeps of a new API key; whoever makes it keeps the key itself. */
export type IssueKey = (teamId: bigint) => Promise<{ hash: Uint8Array<ArrayBuffer>; hint: string }>;

const AGE_DAYS = 900;

/** Inserts the team and its key; returns the team's id. */
export async function insertTeam(demo: Demo, data: TeamData, issueKey: IssueKey): Promise<bigint> {
  const { tx } = demo;
  const team = onlyOne(await allocateIds(tx, 'teams', 1));
  const createdAt = demo.daysAgo(AGE_DAYS + demo.random.next() * 100);
  const { name, subdomain, timeZone, locale } = data;
  await tx.team.create({
    data: { ...team, name, subdomain, timeZone, locale, createdAt, updatedAt: createdAt },
  });
  const { hash, hint } = await issueKey(team.id);
  const key = onlyOne(await allocateIds(tx, 'api_keys', 1));
  await tx.apiKey.create({
    data: {
      ...key,
      teamId: team.id,
      name: 'Default API key',
      isDefault: true,
      tokenHash: hash,
      hint,
      scopes: ['read', 'write'],
      createdAt: demo.daysAgo(0),
    },
  });
  return team.id;
}
