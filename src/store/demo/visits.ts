// Visits to some pages of a workspace of the demo in the last weeks, made from their numbers: they are alike, and their hours are counted as
// those of real ones.
import { type NewVisit, writeVisits } from '../changing/visits.ts';
import type { Executor } from '../connections/executor.ts';

const DAYS = 28;
const DAY_MS = 86_400_000;
const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
];

/** Of three visitors one is known as a contact. */
const KNOWN = 3;

interface VisitedPage {
  readonly id: bigint;
  readonly path: string;
}

/** Inserts visits. @param counts how often pages were visited, by their names @throws Error when a page is not there */
export async function insertVisits(
  steps: Executor,
  workspaceId: bigint,
  counts: Readonly<Record<string, number>>,
  start: Date,
): Promise<void> {
  const contacts = await steps.$queryRawUnsafe<{ id: bigint }[]>(
    'select id from contacts where workspace_id = $1::bigint and not anonymous order by id',
    workspaceId,
  );
  const pages = await steps.$queryRawUnsafe<(VisitedPage & { name: string })[]>(
    'select id, name, current_path as path from pages where workspace_id = $1::bigint and name = any($2::text[]) order by id',
    ...[workspaceId, Object.keys(counts)],
  );
  if (pages.length !== Object.keys(counts).length)
    throw new Error('Demo data: visits.json names pages that are not in pages.json. Correct their names.');
  for (const [place, page] of pages.entries()) {
    const count = counts[page.name] ?? 0;
    const visits = Array.from({ length: count }, (_, index) => {
      const daysAgo = ((count - index) * DAYS) / count - place / 24;
      const startedAt = new Date(start.getTime() - Math.floor(daysAgo * DAY_MS));
      return visitOf(page, index, contacts[index % contacts.length]?.id ?? null, startedAt);
    });
    await (await writeVisits(steps, { workspaceId, pageId: page.id }, visits, start)).writing;
  }
}

function visitOf(
  { id, path }: VisitedPage,
  index: number,
  contactId: bigint | null,
  startedAt: Date,
): NewVisit {
  const isKnown = index % KNOWN === 0;
  return {
    uuid: `00000000-0000-4000-8000-${String(id * 1_000n + BigInt(index)).padStart(12, '0')}`,
    contactId: isKnown ? contactId : null,
    visitorId: isKnown ? null : `visitor-${index}`,
    ...(index % 2 === 0 ? { utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'winter' } : {}),
    ip: `203.0.113.${index + 1}`,
    userAgent: USER_AGENTS[index % USER_AGENTS.length] as string,
    referrer: index % 4 === 1 ? 'https://www.example.org/gear' : null,
    landingPage: `https://shop.acme.example${path}`,
    startedAt,
  };
}
