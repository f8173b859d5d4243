// Turns between teams: the queue, and requests through the real handler that go by it once their callers are known.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTeamTurns } from '../../src/http/team-turns.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { intercept, statementsOf } from '../support/graphql-statements.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const { signal } = new AbortController();

describe('the queue', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('take' as const), key: fc.constantFrom('a', 'b', 'c'), points: fc.nat(14) }),
    fc.record({ do: fc.constantFrom('end' as const, 'abort' as const), nth: fc.nat(20) }),
  );

  test('whatever comes: bounds hold, those of a key begin in order, all begin in the end, and no key stays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
        const turns = createTeamTurns({ maxOfTeam: 8, max: 12 });
        const all: {
          key: string;
          points: number;
          state: 'waiting' | 'begun' | 'ended' | 'aborted';
          abort: AbortController;
        }[] = [];
        const check = () => {
          const begun = all.filter(({ state }) => state === 'begun');
          const sum = (some: typeof begun) =>
            some.reduce((points, one) => points + Math.min(one.points, 8), 0);
          expect(sum(begun)).toBeLessThanOrEqual(12);
          for (const key of ['a', 'b', 'c'])
            expect(sum(begun.filter((one) => one.key === key))).toBeLessThanOrEqual(8);
        };
        const end = async (one: (typeof all)[number] | undefined) => {
          if (one?.state !== 'begun') return;
          one.state = 'ended';
          turns.giveBack(one.key, one.points);
          await turn();
        };
        for (const each of steps) {
          if (each.do === 'take') {
            const one = { ...each, state: 'waiting' as const, abort: new AbortController() };
            const entry: (typeof all)[number] = one;
            all.push(entry);
            const waiting = turns.take(each.key, each.points, entry.abort.signal);
            if (waiting === undefined) entry.state = 'begun';
            else
              waiting.then(
                () => {
                  const earlier = all.slice(0, all.indexOf(entry)).filter(({ key }) => key === entry.key);
                  expect(earlier.some(({ state }) => state === 'waiting')).toBe(false);
                  entry.state = 'begun';
                },
                () => {
                  entry.state = 'aborted';
                },
              );
          } else if (each.do === 'end') await end(all[each.nth % Math.max(1, all.length)]);
          else if (all[each.nth]?.state === 'waiting') all[each.nth]?.abort.abort(new Error('gone'));
          await turn();
          check();
        }
        for (let rounds = 0; all.some(({ state }) => state === 'begun' || state === 'waiting'); rounds++) {
          expect(rounds).toBeLessThan(200);
          await end(all.find(({ state }) => state === 'begun'));
          await turn();
          check();
        }
        expect([turns.running, turns.waiting, turns.keys]).toEqual([0, 0, 0]);
      }),
      { numRuns: 100 },
    );
  });

  test('keys take turns, and what costs more than a whole share begins alone', async () => {
    const turns = createTeamTurns({ maxOfTeam: 10, max: 10 });
    const begun: string[] = [];
    const take = (key: string, points: number, name: string) =>
      turns.take(key, points, signal)?.then(() => void begun.push(name));
    expect(turns.take('busy', 99, signal)).toBeUndefined();
    for (let i = 0; i < 3; i++) void take('busy', 10, `busy ${i}`);
    void take('quiet', 10, 'quiet');
    turns.giveBack('busy', 99);
    await turn();
    expect(begun).toEqual(['busy 0']);
    turns.giveBack('busy', 10);
    await turn();
    expect(begun).toEqual(['busy 0', 'quiet']);
  });
});

describe('requests', () => {
  let gateway: Gateway;
  let busy: Caller;
  let quiet: Caller;
  let operation: string;

  beforeAll(async () => {
    gateway = await createGateway();
    const workspace = await factories.workspace(gateway.app);
    busy = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
    const other = await factories.workspace(gateway.app);
    quiet = await factories.apiKey(gateway.app, { teamId: other.teamId });
    const lists = Array.from({ length: 20 }, (_, i) => `p${i}: contacts(first: 100) { nodes { id } }`);
    operation = `{ workspace(databaseId: "${workspace.id}") { ${lists.join(' ')} } }`;
  });
  afterAll(() => gateway.close());

  const operations = (count: number, caller: Caller) =>
    Array.from({ length: count }, () =>
      gateway.send('/graphql', {
        caller,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: operation }),
        address: '192.0.2.1',
      }),
    );

  test('of one team that has sent many at once leave another team at the same address its turn', async () => {
    const ofOne = await statementsOf(gateway, () => Promise.all(operations(1, busy)));
    const ofTwo = 2 * ofOne.filter((name) => name.startsWith('contacts.')).length;
    expect(ofTwo).toBeGreaterThan(0);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let held = 0;
    const stop = intercept(gateway, async (name, send) => {
      if (name.startsWith('contacts.')) {
        held += 1;
        await released;
      }
      return send();
    });
    const all = operations(24, busy);
    try {
      // Two of them are under way, and stay so.
      await expect.poll(() => held).toBe(ofTwo);
      const page = await gateway.send('/api/v2/teams', { caller: quiet, address: '192.0.2.1' });
      expect(page.status).toBe(200);
      expect(held).toBe(ofTwo);
    } finally {
      stop();
      release();
      const answers = await Promise.all(all);
      expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200));
    }
  });
});
