// The demo's person, who owns every demo team: whoever tries the gateway signs in as her.
import type { Demo } from './demo.ts';

/** Makes a password and keeps it; what it returns is the hash to store. */
export type IssuePassword = () => Promise<string>;

export const DEMO_EMAIL = 'ada@example.com';
const NAME = 'Ada Lovelace';

/** Inserts her, unless somebody has her e-mail address already: people may be there before any team is. */
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
