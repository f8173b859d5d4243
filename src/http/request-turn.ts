// The turn of one request (team-turns.ts): whose it is, for how many points, and that it ends.
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

/** The turn of a request, which it has yet to take. */
export function createRequestTurn(turns: TeamTurns, exchange: Asking): RequestTurn {
  let held: { readonly key: string; readonly points: number } | null = null;

  function end(): void {
    if (held !== null) turns.giveBack(held.key, held.points);
    held = null;
  }

  return {
    take(points) {
      if (held !== null && held.points >= points) return undefined;
      const { actor, address, signal } = exchange;
      // Nobody would end the turn of a request that has its answer.
      signal.throwIfAborted();
      const teamId = actor === null || actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
      const key = teamId === 0n ? toNetwork(address) : `team ${teamId}`;
      // Nobody keeps what it has while it waits for more: two could wait for each other.
      end();
      const waiting = turns.take(key, points, signal);
      if (waiting === undefined) held = { key, points };
      return waiting?.then(() => {
        held = { key, points };
        // It had its answer meanwhile.
        if (signal.aborted) end();
        signal.throwIfAborted();
      });
    },
    end,
  };
}
