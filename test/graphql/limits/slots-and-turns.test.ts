// An operation that the fast path passes to Yoga first waits for a queue slot of its team, and holds no slot of large answers meanwhile
// (src/graphql/handler.ts).
import { expect, test } from 'vitest';
import type { FastPath } from '../../../src/graphql/fast-path/fast-path.ts';
import { createGraphqlHandler } from '../../../src/graphql/handler.ts';
import { acquireSlot, createAnswerSlots } from '../../../src/graphql/limits/large-answers.ts';
import { Exchange } from '../../../src/http/exchange.ts';
import { apiKey, team } from '../../support/factories.ts';
import { createGateway } from '../../support/gateway.ts';

test('a request that ends while it waits for an event loop tick holds no slot, then or later', async () => {
  const gateway = await createGateway();
  try {
    const { id: teamId } = await team(gateway.app);
    const { authorization } = await apiKey(gateway.app, { teamId });
    const slots = createAnswerSlots();
    const tooLarge: FastPath = {
      async execute(_params, _accept, ctx) {
        await acquireSlot(slots, ctx);
        return null;
      },
      add() {},
    };
    const request = new Request('http://localhost:4000/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: authorization ?? '' },
      body: JSON.stringify({ query: `{ __typename ${'# '.repeat(2_000)}\n}` }),
    });
    const ctx = await new Exchange(gateway.app, request, undefined).context();
    const asked: number[] = [];
    const gone = new Error('gone');
    let held = Number.NaN;
    const turn = (points: number) => {
      if (asked.push(points) === 1) return undefined;
      return new Promise<void>((_resolve, reject) =>
        setImmediate(() => {
          held = slots.running;
          reject(gone);
        }),
      );
    };
    const answer = createGraphqlHandler(gateway.app, tooLarge)(request, { ...ctx, waitForSlot: turn });
    await expect(answer).rejects.toBe(gone);
    expect(asked).toHaveLength(2);
    expect({ held, running: slots.running }).toEqual({ held: 0, running: 0 });
  } finally {
    await gateway.close();
  }
});
