// Checks whether the server in REDIS_URL works, so that rate limits apply across all processes. Without it each process counts by itself.
import { readSharedFacts, type SharedFacts } from '../../redis/facts.ts';
import { messageOf } from '../../store/embedded/failure.ts';
import { type Finding, findingsOf, findingsOrOk } from './findings.ts';
import type { Limits } from './limits.ts';

const { ok, warn } = findingsOf('rate limits');
/** The oldest major version in the gateway's tests. */
const OLDEST = 6;

/** Checks the server at `url`. */
export async function checkSharedRates(url: string, { answerMs }: Limits): Promise<Finding[]> {
  try {
    return sharedRatesFindings(await readSharedFacts(url, answerMs));
  } catch (error) {
    return [
      warn(
        `the server in REDIS_URL does not work (${messageOf(error)}): each process counts by itself`,
        'start it, or correct REDIS_URL',
      ),
    ];
  }
}

/** Findings about the facts that the server reports. Pure. */
export function sharedRatesFindings(facts: SharedFacts): Finding[] {
  const { version, isReplica, isCluster, maxMemoryBytes, evictionPolicy } = facts;
  const isUnbounded = maxMemoryBytes === 0 || evictionPolicy === 'noeviction';
  return findingsOrOk(ok(`counted in Redis ${version} for all processes`), [
    (isReplica || isCluster) &&
      warn(
        `REDIS_URL names a ${isReplica ? 'replica' : 'node of a cluster'}: each process counts by itself`,
        'name a single server, or a primary',
      ),
    Number.parseInt(version, 10) < OLDEST &&
      warn(`Redis ${version} is older than ${OLDEST}.0`, 'install a newer one'),
    isUnbounded &&
      warn(
        maxMemoryBytes === 0
          ? 'the memory of Redis has no limit'
          : 'Redis takes no new counts when its memory is full (noeviction)',
        'set maxmemory, and maxmemory-policy volatile-lru',
      ),
    !isUnbounded &&
      !evictionPolicy.endsWith('-lru') &&
      warn(
        `when its memory is full, Redis may remove recent entries (${evictionPolicy}): counts, and who has just written`,
        'set maxmemory-policy volatile-lru',
      ),
  ]);
}
