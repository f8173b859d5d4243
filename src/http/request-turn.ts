// The turn of one request (team-turns.ts): determines its key and weight, and ends it.
import type { Actor } from '../auth/actor.ts';
import { toNetwork } from '../services/throttle.ts';
import type { TeamTurns } from './team-turns.ts';

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

/** Requests up to this many points are light: running many of them together takes less work than one after another. */
const LIGHT_POINTS = 4;
const WEIGHT_OF_POINT = 2;
/** Half of a team's limit, so that the database can read for one heavy request while the response of another is written. */
const MAX_WEIGHT = 32;

function weightOf(points: number): number {
  return points <= LIGHT_POINTS ? 1 : Math.min(points * WEIGHT_OF_POINT, MAX_WEIGHT);
}

/** The turn of a request, not yet taken. */
export function createRequestTurn(turns: TeamTurns, exchange: Asking): RequestTurn {
  let held: { readonly key: string; readonly weight: number } | null = null;

  function end(): void {
    if (held !== null) turns.giveBack(held.key, held.weight);
    held = null;
  }

  return {
    take(points) {
      const weight = weightOf(points);
      if (held !== null && held.weight >= weight) return undefined;
      const { actor, address, signal } = exchange;
      // An aborted request must not take a turn: nothing would end it.
      signal.throwIfAborted();
      const teamId = actor === null || actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
      const key = teamId === 0n ? toNetwork(address) : `team ${teamId}`;
      // Give up the lighter turn before waiting for a heavier one: otherwise two requests could deadlock.
      end();
      const waiting = turns.take(key, weight, signal);
      if (waiting === undefined) held = { key, weight };
      return waiting?.then(() => {
        held = { key, weight };
        // The request was aborted while it waited.
        if (signal.aborted) end();
        signal.throwIfAborted();
      });
    },
    end,
  };
}
