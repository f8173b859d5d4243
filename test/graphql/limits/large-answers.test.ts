// The slots of large answers are released when the request that holds or awaits one ends (src/graphql/limits/large-answers.ts).
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { GraphContext } from '../../../src/graphql/context.ts';
import {
  acquireSlot,
  createAnswerSlots,
  SMALL_ANSWER_BYTES,
  toAnswerBody,
} from '../../../src/graphql/limits/large-answers.ts';
import { LongLists } from '../../../src/graphql/limits/long-lists.ts';

type PartialContext = Pick<GraphContext, 'actor' | 'state' | 'signal'>;

/** The parts of a request's context that concern slots; all requests are of one team. */
function request(): { ctx: GraphContext; end: (reason: Error) => void } {
  const abort = new AbortController();
  const ctx: PartialContext = {
    actor: { kind: 'anonymous', rejected: null },
    state: {
      trusted: null,
      body: undefined,
      document: null,
      validOperation: null,
      refusal: null,
      refusedChanges: 0,
      isQuery: true,
      needsSlot: true,
      releaseSlot: null,
      cost: null,
      assumesParents: false,
      mustReadParents: false,
      missing: new Set(),
      showsCost: false,
      position: null,
      consistencyToken: null,
      variables: {},
      longLists: new LongLists(),
      pace: null,
    },
    signal: abort.signal,
  };
  return { ctx: ctx as GraphContext, end: (reason) => abort.abort(reason) };
}

const LARGE = new Uint8Array(SMALL_ANSWER_BYTES + 1);
const GONE = new Error('gone');

test('an unread answer releases its slot when the client disconnects, and leaves no listener', async () => {
  const slots = createAnswerSlots();
  const [first, second, third] = [request(), request(), request()];
  await Promise.all([acquireSlot(slots, first.ctx), acquireSlot(slots, second.ctx)]);
  toAnswerBody(LARGE, first.ctx);
  const waiting = acquireSlot(slots, third.ctx);
  expect(third.ctx.state.releaseSlot).toBeNull();
  first.end(GONE);
  await waiting;
  expect(third.ctx.state.releaseSlot).not.toBeNull();
  for (const { ctx } of [first, second, third]) expect(getEventListeners(ctx.signal, 'abort')).toEqual([]);
});

test('a completely read answer leaves no listener', async () => {
  const { ctx } = request();
  await acquireSlot(createAnswerSlots(), ctx);
  const body = toAnswerBody(LARGE, ctx);
  expect(getEventListeners(ctx.signal, 'abort')).toHaveLength(1);
  expect((await new Response(body).arrayBuffer()).byteLength).toBe(LARGE.length);
  expect(getEventListeners(ctx.signal, 'abort')).toEqual([]);
});

test('a request that ends while it waits for a slot is refused, and an answer after the end of its request holds no slot', async () => {
  const slots = createAnswerSlots();
  const [first, second, third] = [request(), request(), request()];
  await Promise.all([acquireSlot(slots, first.ctx), acquireSlot(slots, second.ctx)]);
  const waiting = acquireSlot(slots, third.ctx);
  third.end(GONE);
  await expect(waiting).rejects.toBe(GONE);
  first.end(GONE);
  expect(() => toAnswerBody(LARGE, first.ctx)).toThrow(GONE);
});
