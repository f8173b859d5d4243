// The turn of one request (team-turns.ts): whose it is, what it weighs, and that it ends.
import type { Actor } from '../auth/actor.ts';
import { toNetwork } from '../services/throttle.ts';
import type { TeamTurns } from './team-turns.ts';

/** As much of an exchange as says whose turn it is. */
interface Asking {
  readonly actor: Actor | null;
  readonly address: string;
  readonly signal: AbortSignal;
}

export interface RequestTurn {
  /** Waits for the turn of the caller's team; without valid credentials, of its network. */
  take(points: number): Promise<void> | undefined;
  /** Lets others have their turn. To be called when the request has its answer. */
  end(): void;
}

/** A request of so few points is light: many of them are carried out together with less work than one after the other. */
const LIGHT_POINTS = 4;
const WEIGHT_OF_POINT = 2;
/** Half of what a team may have under way: while one is written, the database reads for another. */
const MAX_WEIGHT = 32;

function weightOf(points: number): number {
  return points <= LIGHT_POINTS ? 1 : Math.min(points * WEIGHT_OF_POINT, MAX_WEIGHT);
}

/** The turn of a request, which it has yet to take. */
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
      // Nobody would end the turn of a request that has its answer.
      signal.throwIfAborted();
      const teamId = actor === null || actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
      const key = teamId === 0n ? toNetwork(address) : `team ${teamId}`;
      // Nobody keeps what it has while it waits for more: two could wait for each other.
      end();
      const waiting = turns.take(key, weight, signal);
      if (waiting === undefined) held = { key, weight };
      return waiting?.then(() => {
        held = { key, weight };
        // It had its answer meanwhile.
        if (signal.aborted) end();
        signal.throwIfAborted();
      });
    },
    end,
  };
}
