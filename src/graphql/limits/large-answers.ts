// Limits the concurrency of large answers, and so their total memory. A large answer holds a slot until the client has read it. Slots are
// limited in total and per team.

import { createFairQueue, type FairQueue, type Release } from '../../concurrency/fair-queue.ts';
import { AppError } from '../../errors.ts';
import { callersTeamId, type GraphContext } from '../context.ts';

/** Answers up to this size need no slot. */
export const SMALL_ANSWER_BYTES = 1024 * 1024;

/** Through Yoga, an operation needs a slot if its answer may have more values than this. */
export const SMALL_ANSWER_VALUES = 5_000;

const LIMITS = {
  concurrency: 6,
  concurrencyPerKey: 2,
  maxWaitingPerKey: 100,
  maxWaiting: 1_000,
  maxWaitMs: 20_000,
};

const CHUNK_BYTES = 64 * 1024;
/** Time limits for a client whose answer holds a slot: to start reading it, and to finish. */
const MAX_UNREAD_MS = 15_000;
const MAX_SENDING_MS = 60_000;

/** The slots for large answers, by team. */
export type AnswerSlots = Pick<FairQueue, 'acquire'>;

/** The slots of one process. */
export function createAnswerSlots(): FairQueue {
  return createFairQueue(LIMITS);
}

/**
 * Waits for a slot and stores it in the request's state until the answer has been sent. Does nothing if the request has one.
 * @throws AppError `too_many_requests` when too many requests wait or this one has waited too long; the signal's reason when aborted
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
 * The response body of an answer. A large one is a stream that releases the request's slot after it was read, was cancelled or has timed
 * out. A small one releases the slot at once.
 * @throws AppError the signal's reason when the request is aborted
 */
export function toAnswerBody<Bytes extends Uint8Array<ArrayBuffer>>(
  bytes: Bytes,
  { state, signal }: GraphContext,
): Bytes | ReadableStream {
  const { releaseSlot } = state;
  if (releaseSlot === null) return bytes;
  // After an abort nothing would read the stream, and the slot would never be released.
  signal.throwIfAborted();
  state.releaseSlot = null;
  if (bytes.length > SMALL_ANSWER_BYTES) return streamOf(bytes, releaseSlot, signal);
  releaseSlot();
  return bytes;
}

/** The Content-Length of an answer that `toAnswerBody` turns into a stream, which has no length of its own. */
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
  // Nothing reads or cancels this stream while earlier answers on the same connection are being sent.
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
