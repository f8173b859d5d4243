// What a contact shows of a visit, with what its user agent says of itself.
import { setImmediate as nextTurn } from 'node:timers/promises';
import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import { type GivenVisit, VISIT } from '../../resources/visits.ts';
import { toRestObject } from '../../rows/resource-writer.ts';

/** A visit whose time is known. */
export interface NewVisit extends GivenVisit {
  readonly startedAt: Date;
}

/** A visit as its contact shows it: JSON without spaces. */
export function visitJson(visit: NewVisit, arrivedAt: Date): string {
  const { referrer = null, userAgent = null } = visit;
  return JSON.stringify(
    toRestObject(
      {
        ...visit,
        referringDomain:
          referrer !== null && URL.canParse(referrer) ? new URL(referrer).hostname || null : null,
        ...(userAgent === null ? null : knownOf(userAgent)),
        createdAt: arrivedAt,
        updatedAt: arrivedAt,
      },
      VISIT,
    ),
  );
}

interface Known {
  readonly browser: string | null;
  readonly os: string | null;
  readonly deviceType: string | null;
}

/** What is read of a user agent: those of browsers are shorter. A longer one costs no more, in time and in the cache. */
const READ_CHARS = 512;
/** There are few browsers, and many visits with each. */
const known = new LRUCache<string, Known>({ max: 2_000 });

/** User agents that are parsed in one turn of the event loop. One that is made for it takes 0.5 ms. */
const PARSED_AT_ONCE = 20;

/** Parses the user agents of visits that are not known yet, and lets others work in between. */
export async function readUserAgents(visits: readonly NewVisit[]): Promise<void> {
  let parsed = 0;
  for (const { userAgent } of visits) {
    if (userAgent == null || known.has(userAgent.slice(0, READ_CHARS))) continue;
    knownOf(userAgent);
    parsed += 1;
    if (parsed % PARSED_AT_ONCE === 0) await nextTurn();
  }
}

/** What a user agent says of itself. */
function knownOf(given: string): Known {
  const userAgent = given.slice(0, READ_CHARS);
  const found = known.get(userAgent) ?? parseUserAgent(userAgent);
  known.set(userAgent, found);
  return found;
}

function parseUserAgent(userAgent: string): Known {
  const none = { browser: null, os: null, deviceType: null };
  if (userAgent.trim() === '') return none;
  const { browser, os, platform } = Bowser.parse(userAgent);
  return { browser: browser.name || null, os: os.name || null, deviceType: platform.type || null };
}
