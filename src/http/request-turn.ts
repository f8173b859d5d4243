// The turns of requests once their callers are known: the weight of the requests in progress is bounded, per team and in total. The others
// wait, in turns between teams.
import type { Actor } from '../auth/actor.ts';
import { createFairQueue, type FairQueue, type Release } from '../concurrency/fair-queue.ts';
import { toNetwork } from '../services/limits/throttle.ts';

/** The part of an exchange that determines whose turn it uses. */
interface Asking {
  readonly actor: Actor | null;
  readonly address: string;
  readonly signal: AbortSignal;
}

export interface RequestTurn {
  /** Waits for a turn of the caller's team, or of its network without valid credentials. undefined: there is no need to wait. */
  take(points: number): Promise<void> | undefined;
  /** Ends the turn, so that others can have theirs. To be called when the request has a response. */
  end(): void;
}

/** One team's maximum is about 30 ms of processor time, which bounds how long other teams wait for it. */
const MAX_OF_TEAM = 64;
const MAX = 512;
/** Requests up to this many points are light: running many of them together takes less work than one after another. */
const LIGHT_POINTS = 4;
const WEIGHT_OF_POINT = 2;
/** Half of a team's limit, so that the database can read for one heavy request while the response of another is written. */
const MAX_WEIGHT = 32;

/** The turns of one process. Those that wait are bounded by load-shedding.ts. */
export function createTurns(): FairQueue {
  return createFairQueue({ concurrency: MAX, concurrencyPerKey: MAX_OF_TEAM, perTurn: MAX_OF_TEAM });
}

function weightOf(points: number): number {
  return points <= LIGHT_POINTS ? 1 : Math.min(points * WEIGHT_OF_POINT, MAX_WEIGHT);
}

/** The turn of a request, not yet taken. */
export function createRequestTurn(turns: FairQueue, exchange: Asking): RequestTurn {
  let weight = 0;
  let release: Release | null = null;

  function end(): void {
    release?.();
    release = null;
    weight = 0;
  }

  return {
    take(points) {
      const wanted = weightOf(points);
      if (weight >= wanted) return undefined;
      const { actor, address, signal } = exchange;
      const teamId = actor === null || actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
      const key = teamId === 0n ? toNetwork(address) : `team ${teamId}`;
      // Give up the lighter turn before waiting for a heavier one: otherwise two requests could deadlock.
      end();
      const hold = (slot: Release) => {
        release = slot;
        weight = wanted;
        // The request was aborted while it waited: nothing else would end its turn.
        if (signal.aborted) end();
        signal.throwIfAborted();
      };
      const slot = turns.acquire(key, signal, wanted);
      return typeof slot === 'function' ? void hold(slot) : slot.then(hold);
    },
    end,
  };
}
