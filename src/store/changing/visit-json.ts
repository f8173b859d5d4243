// The JSON of a visit that a contact shows, with the details from its user agent.
import { setImmediate as nextTurn } from 'node:timers/promises';
import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import { type ParsedVisit, VISIT } from '../../resources/visits.ts';
import { toRestObject } from '../../rows/resource-writer.ts';

/** A visit with its time. */
export interface NewVisit extends ParsedVisit {
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
        ...(userAgent === null ? null : parseMemoized(userAgent)),
        createdAt: arrivedAt,
        updatedAt: arrivedAt,
      },
      VISIT,
    ),
  );
}

interface KnownVisitor {
  readonly browser: string | null;
  readonly os: string | null;
  readonly deviceType: string | null;
}

/**
 * How many characters of a user agent are parsed and cached. Those of browsers are shorter; the limit bounds time and memory for others.
 */
const MAX_PARSED_CHARS = 512;
/** Memoized, because many visits come from few different browsers. */
const parsedUserAgents = new LRUCache<string, KnownVisitor>({ max: 2_000 });

/** How many user agents are parsed in one tick of the event loop. A malicious one takes 0.5 ms. */
const PARSED_PER_TICK = 20;

/** Parses the user agents of visits that are not cached yet, and yields to the event loop in between. */
export async function readUserAgents(visits: readonly NewVisit[]): Promise<void> {
  let parsed = 0;
  for (const { userAgent } of visits) {
    if (userAgent == null || parsedUserAgents.has(userAgent.slice(0, MAX_PARSED_CHARS))) continue;
    parseMemoized(userAgent);
    parsed += 1;
    if (parsed % PARSED_PER_TICK === 0) await nextTurn();
  }
}

/** The details in a user agent. */
function parseMemoized(given: string): KnownVisitor {
  const userAgent = given.slice(0, MAX_PARSED_CHARS);
  const found = parsedUserAgents.get(userAgent) ?? parseUserAgent(userAgent);
  parsedUserAgents.set(userAgent, found);
  return found;
}

function parseUserAgent(userAgent: string): KnownVisitor {
  const none = { browser: null, os: null, deviceType: null };
  if (userAgent.trim() === '') return none;
  const { browser, os, platform } = Bowser.parse(userAgent);
  return { browser: browser.name || null, os: os.name || null, deviceType: platform.type || null };
}
