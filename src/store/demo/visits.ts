// Visits to some pages of a workspace of the demo in the last weeks. What they are does not depend on chance: nothing else in the demo
// changes with their number.
import { type NewVisit, writeVisits } from '../changing/visits.ts';
import { inOrder } from '../connections/executor.ts';
import type { Filling } from './demo.ts';

const DAYS = 28;
const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
];

/** Of three visitors one is known as a contact. */
const KNOWN = 3;

/** Inserts them. */
export async function insertVisits({ tx, daysAgo, workspaceId, data }: Filling): Promise<void> {
  const { pages: visited = {} } = data.visits ?? {};
  const steps = inOrder(tx);
  const contacts = await tx.contact.findMany({
    where: { workspaceId, anonymous: false },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  const pages = await tx.page.findMany({
    where: { workspaceId, name: { in: Object.keys(visited) } },
    orderBy: { id: 'asc' },
  });
  for (const [place, { id: pageId, name, currentPath }] of pages.entries()) {
    const count = visited[name] ?? 0;
    const visits = Array.from({ length: count }, (_, index): NewVisit => {
      const isKnown = index % KNOWN === 0;
      return {
        uuid: `00000000-0000-4000-8000-${String(pageId * 1_000n + BigInt(index)).padStart(12, '0')}`,
        contactId: isKnown ? (contacts[index % contacts.length]?.id ?? null) : null,
        visitorId: isKnown ? null : `visitor-${index}`,
        ...(index % 2 === 0 ? { utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'winter' } : {}),
        ip: `203.0.113.${index + 1}`,
        userAgent: USER_AGENTS[index % USER_AGENTS.length] as string,
        referrer: index % 4 === 1 ? 'https://www.example.org/gear' : null,
        landingPage: `https://shop.acme.example${currentPath}`,
        startedAt: daysAgo(((count - index) * DAYS) / count - place / 24),
      };
    });
    await (await writeVisits(steps, { workspaceId, pageId }, visits, daysAgo(0))).writing;
  }
}
