// Overload: bounds how many requests are in progress, which bounds every later queue. Further ones wait, in turns between networks, and are
// refused after a while. Nothing is done for a request that waits, and its connection has no other one, so there are never more of them
// than connections.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFairQueue, type Release } from '../concurrency/fair-queue.ts';
import type { Logger } from '../output/log.ts';
import { toNetwork } from '../services/limits/throttle.ts';
import type { Readings } from '../telemetry/kinds.ts';

export interface LoadShedding {
  /**
   * Calls `begin` when the request may begin, usually at once, or `refuse`. From then on the request is in progress until its response was
   * sent, except while its handler waits for the client to send the body.
   */
  admit(request: ShedRequest, begin: () => void, refuse: () => void): void;
  reading(): Readings['load'];
}

interface ShedRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Whether a trusted proxy opened the connection. */
  readonly isProxy: boolean;
}

/** Enough to keep the processor and the database busy; more would only make every answer take longer. */
const MAX_UNDER_WAY = 128;
/** How long a request may wait to begin: answers after a second are of little use. */
const MAX_WAIT_MS = 500;
/** How much later it is refused, so that refusing those who retry at once takes little time. */
const REFUSAL_DELAY_MS = 1_000;
/** Node accepts one connection in a turn of the event loop, so turns must be short. */
const PER_TURN = 16;
const LOG_INTERVAL_MS = 1_000;
/** The longest forwarded address that is read; an IPv6 address has at most 45 characters. */
const MAX_ADDRESS_CHARS = 64;
const HEALTH = '/healthz';
/** Health checks of a network have turns of their own: what its other clients send takes no process out of its balancer. */
export const HEALTH_CHECKS: readonly string[] = [HEALTH, '/readyz'];

/** @param allowed the requests in progress, at most 128. Networks with less than their share are served above it, up to twice as many. */
export function createLoadShedding(allowed: number, log: Logger): LoadShedding {
  const max = Math.min(allowed, MAX_UNDER_WAY);
  const queue = createFairQueue({
    concurrency: max,
    concurrencyPerKey: max,
    maxWaitMs: MAX_WAIT_MS,
    perTurn: PER_TURN,
    hasShares: true,
  });
  let shed = 0;
  let unlogged = 0;

  function countShed(): void {
    shed += 1;
    unlogged += 1;
    if (unlogged > 1) return;
    const report = () => {
      log.warn({ requests: unlogged, underWay: queue.running, limit: max }, 'overloaded: requests shed');
      unlogged = 0;
    };
    setTimeout(report, LOG_INTERVAL_MS).unref();
  }

  /** Releases the slot when the response was sent, and as long as the handler waits for the body. */
  function hold(key: string, slot: Release, { incoming, outgoing }: ShedRequest): void {
    let release = slot;
    outgoing.once('close', () => release());
    if (!hasBody(incoming)) return;
    // A handler has begun to read the body. A handler that does not read it counts as in progress all the time.
    incoming.once('resume', () => {
      if (incoming.complete || outgoing.closed) return;
      release();
      incoming.once('end', () => {
        if (!outgoing.closed) release = queue.enter(key);
      });
    });
  }

  return {
    admit(request, begin, refuse) {
      const { incoming, outgoing, isProxy } = request;
      const { url = '' } = incoming;
      const network = networkOf(incoming, isProxy);
      const key = HEALTH_CHECKS.includes(url) ? `${url} ${network}` : network;
      const start = (slot: Release) => {
        if (outgoing.closed) return slot();
        hold(key, slot, request);
        begin();
      };
      const slot = queue.acquire(key);
      if (typeof slot === 'function') return start(slot);
      slot.then(start, () => {
        // An overloaded process is alive, and restarting it would make things worse.
        if (url === HEALTH) return start(queue.enter(key));
        setTimeout(() => {
          countShed();
          refuse();
        }, REFUSAL_DELAY_MS).unref();
      });
    },
    reading: () => ({ underWay: queue.running, limit: max, shed }),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** The network that a request comes from. The caller cannot be used, since credentials are not checked yet. */
function networkOf({ socket, headers }: IncomingMessage, isProxy: boolean): string {
  const forwarded = isProxy ? headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() : undefined;
  return toNetwork(forwarded?.slice(0, MAX_ADDRESS_CHARS) ?? socket.remoteAddress ?? '');
}
