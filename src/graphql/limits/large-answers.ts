// A concurrency limit on large answers, which bounds the memory that they take together. A large answer holds a slot until
// the client has read it; slots are limited in total and per team.

import { createFairQueue, type FairQueue, type Release } from '../../concurrency/fair-queue.ts';
import { AppError } from '../../errors.ts';
import { callersTeamId, type GraphContext } from '../context.ts';

/** Answers up to this size need no slot. */
export const SMALL_ANSWER_BYTES = 1024 * 1024;

/** Yoga executes an operation whose answer may have more values than this only with a slot. */
export const SMALL_ANSWER_VALUES = 5_000;

const LIMITS = {
  concurrency: 6,
  concurrencyPerKey: 2,
  maxWaitingPerKey: 100,
  maxWaiting: 1_000,
  maxWaitMs: 20_000,
};

const CHUNK_BYTES = 64 * 1024;
/** Time limits for a client that holds a slot: to begin reading the answer, and to read all of it. */
const MAX_UNREAD_MS = 15_000;
const MAX_SENDING_MS = 60_000;

/** The slots for large answers, by team. */
export type AnswerSlots = Pick<FairQueue, 'acquire'>;

/** The slots of one process. */
export function createAnswerSlots(): FairQueue {
  return createFairQueue(LIMITS);
}

/**
 * Waits for a slot, and keeps it in the request's state until the answer has been sent. Does nothing where the request has one.
 * @throws AppError `too_many_requests` when too many requests wait, or this one waited too long; the signal's reason
 */
export async function acquireSlot(slots: AnswerSlots, ctx: GraphContext): Promise<void> {
  const { state } = ctx;
  if (state.releaseSlot !== null) return;
  try {
    state.releaseSlot = await slots.acquire(String(callersTeamId(ctx)), ctx.signal);
  } catch (error) {
    if (error instanceof AppError) state.refusal = error;
    throw error;
  }
}

/**
 * The response body of an answer. A large one is a stream that releases the request's slot when it has been read, cancelled or
 * timed out; a small one releases the slot at once.
 * @throws AppError the signal's reason
 */
export function toAnswerBody<Bytes extends Uint8Array<ArrayBuffer>>(
  bytes: Bytes,
  { state, signal }: GraphContext,
): Bytes | ReadableStream {
  const { releaseSlot } = state;
  if (releaseSlot === null) return bytes;
  // Nothing would read the stream, so that the slot would not be released.
  signal.throwIfAborted();
  state.releaseSlot = null;
  if (bytes.length > SMALL_ANSWER_BYTES) return streamOf(bytes, releaseSlot, signal);
  releaseSlot();
  return bytes;
}

/** The header of an answer whose body `toAnswerBody` may make a stream, which has no length by itself. */
export function lengthHeader({ length }: Uint8Array): Record<string, string> {
  return length > SMALL_ANSWER_BYTES ? { 'content-length': String(length) } : {};
}

function streamOf(bytes: Uint8Array<ArrayBuffer>, release: Release, signal: AbortSignal): ReadableStream {
  let at = 0;
  let timer: NodeJS.Timeout | undefined;
  function failAfter(ms: number, controller: ReadableStreamDefaultController): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      end();
      controller.error(new Error('The client took too long to read the answer.'));
    }, ms).unref();
  }
  // While earlier answers on the same connection are being sent, nothing reads or cancels this stream.
  signal.addEventListener('abort', end);
  function end(): void {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    release();
  }
  return new ReadableStream(
    {
      start: (controller) => failAfter(MAX_UNREAD_MS, controller),
      pull(controller) {
        if (at === 0) failAfter(MAX_SENDING_MS, controller);
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
