// Large answers take turns, so that memory stays level however many are asked for at once: few are made at a time, fewer of
// one team, and each keeps its turn until the client has taken it.
import { AppError } from '../errors.ts';
import { createFairQueue, type FairQueue, type Release } from '../fair-queue.ts';
import { callersTeamId, type GraphContext } from './context.ts';

/** Answers up to this size are made and sent without a turn. */
export const SMALL_ANSWER_BYTES = 1024 * 1024;

/** Operations that may answer more values than this wait for a turn where nothing tells beforehand how large the answer gets. */
export const SMALL_ANSWER_VALUES = 5_000;

const LIMITS = {
  concurrency: 6,
  concurrencyPerKey: 2,
  maxWaitingPerKey: 100,
  maxWaiting: 1_000,
  maxWaitMs: 20_000,
};

const CHUNK_BYTES = 64 * 1024;
/** Others wait for the turn: who does not begin to read in time, or takes longer for all of it, gets no more. */
const MAX_UNREAD_MS = 15_000;
const MAX_SENDING_MS = 60_000;

export type Turns = Pick<FairQueue, 'acquire'>;

/** The turns of one process. */
export function createTurns(): Turns {
  return createFairQueue(LIMITS);
}

/**
 * Waits for a turn, which the context then keeps until its answer has been sent.
 * @throws AppError `too_many_requests` when too many wait already, or after waiting too long; the signal's reason
 */
export async function waitForTurn(turns: Turns, ctx: GraphContext): Promise<void> {
  const { outcome } = ctx;
  if (outcome.turn !== null) return;
  try {
    outcome.turn = await turns.acquire(String(callersTeamId(ctx)), ctx.signal);
  } catch (error) {
    if (error instanceof AppError) outcome.refusal = error;
    throw error;
  }
}

/** The body of an answer as it is sent. A turn that was waited for ends with it. @throws AppError the signal's reason */
export function toBody<Bytes extends Uint8Array<ArrayBuffer>>(
  bytes: Bytes,
  { outcome, signal }: GraphContext,
): Bytes | ReadableStream {
  const { turn } = outcome;
  if (turn === null) return bytes;
  // Nobody would read it, and end the turn.
  signal.throwIfAborted();
  outcome.turn = null;
  if (bytes.length > SMALL_ANSWER_BYTES) return streamOf(bytes, turn, signal);
  turn();
  return bytes;
}

function streamOf(bytes: Uint8Array<ArrayBuffer>, release: Release, signal: AbortSignal): ReadableStream {
  let at = 0;
  let timer: NodeJS.Timeout | undefined;
  function giveUpAfter(ms: number, controller: ReadableStreamDefaultController): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      end();
      controller.error(new Error('The client took too long to read the answer.'));
    }, ms).unref();
  }
  // A client that is gone ends it here where nothing reads the stream yet: behind other answers on its connection.
  signal.addEventListener('abort', end);
  function end(): void {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    release();
  }
  return new ReadableStream(
    {
      start: (controller) => giveUpAfter(MAX_UNREAD_MS, controller),
      pull(controller) {
        if (at === 0) giveUpAfter(MAX_SENDING_MS, controller);
        controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES));
        at += CHUNK_BYTES;
        if (at < bytes.length) return;
        controller.close();
        end();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
