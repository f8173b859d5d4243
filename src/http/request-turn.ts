// The queue for authenticated requests: it bounds the weight of the requests in progress, per team and in total. The others wait for a
// slot, round robin between teams.
import type { Actor } from '../auth/actor.ts';
import { createFairQueue, type FairQueue, type Release } from '../concurrency/fair-queue.ts';
import { toNetwork } from '../services/limits/throttle.ts';

/** The part of an exchange that determines the key of its slot. */
interface RequestOwner {
  readonly actor: Actor | null;
  readonly address: string;
  readonly signal: AbortSignal;
}

export interface RequestSlot {
  /** Waits for a slot of the caller's team; without valid credentials, of its network. undefined: there is no need to wait. */
  take(points: number): Promise<void> | undefined;
  /** Releases the slot. Call it when the request has a response. */
  end(): void;
}

/** One team's maximum is about 30 ms of processor time, which bounds how long other teams wait for it. */
const MAX_OF_TEAM = 64;
const MAX_IN_TOTAL = 512;
/** Requests up to this many points are light: running many of them together takes less work than one after another. */
const LIGHT_POINTS = 4;
const WEIGHT_OF_POINT = 2;
/** Half of a team's limit, so that the database can read for one heavy request while the response of another is written. */
const MAX_WEIGHT = 32;

/** The queue of one process. load-shedding.ts bounds the number of waiters. */
export function createRequestQueues(): FairQueue {
  return createFairQueue({ concurrency: MAX_IN_TOTAL, concurrencyPerKey: MAX_OF_TEAM, perTick: MAX_OF_TEAM });
}

function weightOf(points: number): number {
  return points <= LIGHT_POINTS ? 1 : Math.min(points * WEIGHT_OF_POINT, MAX_WEIGHT);
}

/** The slot of a request, not yet taken. */
export function createRequestSlot(queue: FairQueue, exchange: RequestOwner): RequestSlot {
  let weight = 0;
  let release: Release | null = null;

  function end(): void {
    release?.();
    release = null;
    weight = 0;
  }

  return {
    take(points) {
      const neededWeight = weightOf(points);
      if (weight >= neededWeight) return undefined;
      const { actor, address, signal } = exchange;
      const teamId = actor === null || actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
      const key = teamId === 0n ? toNetwork(address) : `team ${teamId}`;
      // Releases the lighter slot before waiting for a heavier one: otherwise two requests could deadlock.
      end();
      const hold = (slot: Release) => {
        release = slot;
        weight = neededWeight;
        // If the request was aborted while it waited, nothing else would release its slot.
        if (signal.aborted) end();
        signal.throwIfAborted();
      };
      const slot = queue.acquire(key, signal, neededWeight);
      return typeof slot === 'function' ? void hold(slot) : slot.then(hold);
    },
    end,
  };
}
