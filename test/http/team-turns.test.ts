// Turns between teams: the queue, and requests through the real handler that go by it once their callers are known.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTeamTurns, type TeamTurns } from '../../src/http/team-turns.ts';
import { type Metrics, noMetrics } from '../../src/telemetry/metrics.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';

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
  let contacts: string;
  let operation: string;
  let turns: TeamTurns;
  /** The weight under way and the number of those that wait, whenever one is answered. */
  const seen: number[][] = [];

  beforeAll(async () => {
    const watching: Metrics = {
      ...noMetrics,
      watchQueue(name, queue) {
        if (name === 'turns') turns = queue as TeamTurns;
      },
    };
    gateway = await createGateway({ overrides: { metrics: watching } });
    const workspace = await factories.workspace(gateway.app);
    busy = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
    const other = await factories.workspace(gateway.app);
    quiet = await factories.apiKey(gateway.app, { teamId: other.teamId });
    contacts = `/api/v2/workspaces/${other.id}/contacts`;
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

  test('of one team that has sent many at once begin two at a time, and another team has its answer meanwhile', async () => {
    const all = operations(24, busy).map(async (one) => {
      const response = await one;
      seen.push([turns.running, turns.waiting]);
      return [response.status, response.ok ? '' : await response.text()];
    });
    const page = await gateway.send(contacts, { caller: quiet, address: '192.0.2.1' });
    expect(page.status).toBe(200);
    expect(new Set((await Promise.all(all)).map(String))).toEqual(new Set(['200,']));
    expect(Math.max(...seen.map(([, waiting = 0]) => waiting))).toBeGreaterThan(12);
    expect(Math.max(...seen.map(([running = 0]) => running))).toBeLessThanOrEqual(64);
    expect([turns.running, turns.waiting, turns.keys]).toEqual([0, 0, 0]);
  });
});
