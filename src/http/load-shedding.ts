// Sheds load: bounds how many requests are in progress, which bounds every later queue. Further requests wait, round robin between
// networks, and are refused after a while. The process does no work for a waiting request, and its connection has no other request in
// progress, so at most as many requests wait as there are connections.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFairQueue, type Release } from '../concurrency/fair-queue.ts';
import type { Logger } from '../output/log.ts';
import { toNetwork } from '../services/limits/throttle.ts';
import type { Readings } from '../telemetry/kinds.ts';

export interface LoadShedding {
  /**
   * Calls `begin` when the request may begin, usually at once, or `refuse`. From `begin` on the request is in progress until its response
   * is sent, except while its handler waits for the client to send the body.
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

/** Enough to keep the processor and the database busy. More would only make every answer slower. */
const MAX_IN_PROGRESS = 128;
/** How long a request may wait to begin. Answers after a second are of little use. */
const MAX_WAIT_MS = 500;
/** The delay of a refusal, so that clients that retry at once cause few refusals. */
const REFUSAL_DELAY_MS = 1_000;
/** The requests that may begin in one event loop tick. Node accepts one connection per tick, so ticks must be short. */
const MAX_PER_TICK = 16;
const LOG_INTERVAL_MS = 1_000;
/** The longest forwarded address that is read; an IPv6 address has at most 45 characters. */
const MAX_ADDRESS_CHARS = 64;
const HEALTH = '/healthz';
/** Each of these paths has a queue key of its own per network, so that a network's other clients cannot make its balancer drop a process. */
export const HEALTH_CHECKS: readonly string[] = [HEALTH, '/readyz'];

/** @param allowed the maximum of requests in progress, at most 128. Networks below their share may exceed it, up to twice as many in all. */
export function createLoadShedding(allowed: number, log: Logger): LoadShedding {
  const max = Math.min(allowed, MAX_IN_PROGRESS);
  const queue = createFairQueue({
    concurrency: max,
    concurrencyPerKey: max,
    maxWaitMs: MAX_WAIT_MS,
    perTick: MAX_PER_TICK,
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

  /** Holds the slot until the response is sent, except while the handler waits for the body. */
  function hold(key: string, slot: Release, { incoming, outgoing }: ShedRequest): void {
    let release = slot;
    outgoing.once('close', () => release());
    if (!hasBody(incoming)) return;
    // A handler has begun to read the body. A request whose handler does not read it is in progress all the time.
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

/** The network of a request's client. The caller cannot serve as key, because credentials are not checked yet. */
function networkOf({ socket, headers }: IncomingMessage, isProxy: boolean): string {
  const forwarded = isProxy ? headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() : undefined;
  return toNetwork(forwarded?.slice(0, MAX_ADDRESS_CHARS) ?? socket.remoteAddress ?? '');
}
