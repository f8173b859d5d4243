// Many concurrent user agents leave event loop ticks to other work.
import Bowser from 'bowser';
import { expect, test, vi } from 'vitest';
import { readUserAgents, visitJson } from '../../src/store/changing/visit-json.ts';

const startedAt = new Date('2026-01-01T00:00:00Z');
const visits = Array.from({ length: 500 }, (_, i) => ({
  ...{ uuid: crypto.randomUUID(), contactId: 1n, startedAt },
  userAgent: `Mozilla/5.0 (X11; Linux x86_64; odd ${i}) Firefox/${i}.0`,
}));

test('unknown user agents are parsed a few in each event loop tick, and each once', async () => {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const parsed = new Map<number, number>();
  const parse = Bowser.parse.bind(Bowser);
  const spy = vi.spyOn(Bowser, 'parse').mockImplementation((...given) => {
    parsed.set(turn, (parsed.get(turn) ?? 0) + 1);
    return parse(...given);
  });
  try {
    await readUserAgents(visits as never);
    expect(Math.max(...parsed.values())).toBeLessThanOrEqual(20);
    expect([...parsed.values()].reduce((sum, n) => sum + n, 0)).toBe(visits.length);
    const shown = visits.map((visit) => JSON.parse(visitJson(visit as never, startedAt)) as object);
    expect(shown).toEqual(visits.map(() => expect.objectContaining({ browser: 'Firefox', os: 'Linux' })));
    expect(spy).toHaveBeenCalledTimes(visits.length);
  } finally {
    isOver = true;
    spy.mockRestore();
  }
});
