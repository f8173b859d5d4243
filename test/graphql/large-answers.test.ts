// The turns of large answers end with the requests that have them or wait for them (src/graphql/large-answers.ts).
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { GraphContext } from '../../src/graphql/context.ts';
import { createTurns, SMALL_ANSWER_BYTES, toBody, waitForTurn } from '../../src/graphql/large-answers.ts';

type Waiting = Pick<GraphContext, 'actor' | 'outcome' | 'signal'>;

/** As much of a request as has to do with turns; all are of one team. */
function request(): { ctx: GraphContext; end: (reason: Error) => void } {
  const abort = new AbortController();
  const ctx: Waiting = {
    actor: { kind: 'anonymous', rejected: null },
    outcome: { accepted: null, refusal: null, isRead: true, isLarge: true, turn: null },
    signal: abort.signal,
  };
  return { ctx: ctx as GraphContext, end: (reason) => abort.abort(reason) };
}

const LARGE = new Uint8Array(SMALL_ANSWER_BYTES + 1);
const GONE = new Error('gone');

test('an answer that nobody has begun to read gives up its turn when the client goes, and leaves no listener', async () => {
  const turns = createTurns();
  const [first, second, third] = [request(), request(), request()];
  await Promise.all([waitForTurn(turns, first.ctx), waitForTurn(turns, second.ctx)]);
  toBody(LARGE, first.ctx);
  const waiting = waitForTurn(turns, third.ctx);
  expect(third.ctx.outcome.turn).toBeNull();
  first.end(GONE);
  await waiting;
  expect(third.ctx.outcome.turn).not.toBeNull();
  for (const { ctx } of [first, second, third]) expect(getEventListeners(ctx.signal, 'abort')).toEqual([]);
});

test('an answer that was read whole leaves no listener', async () => {
  const { ctx } = request();
  await waitForTurn(createTurns(), ctx);
  const body = toBody(LARGE, ctx);
  expect(getEventListeners(ctx.signal, 'abort')).toHaveLength(1);
  expect((await new Response(body).arrayBuffer()).byteLength).toBe(LARGE.length);
  expect(getEventListeners(ctx.signal, 'abort')).toEqual([]);
});

test('who waits for a turn is refused when the request ends, and an answer that comes too late keeps none', async () => {
  const turns = createTurns();
  const [first, second, third] = [request(), request(), request()];
  await Promise.all([waitForTurn(turns, first.ctx), waitForTurn(turns, second.ctx)]);
  const waiting = waitForTurn(turns, third.ctx);
  third.end(GONE);
  await expect(waiting).rejects.toBe(GONE);
  first.end(GONE);
  expect(() => toBody(LARGE, first.ctx)).toThrow(GONE);
});
