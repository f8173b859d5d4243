// What the primary and a worker ask each other (src/commands/serve/channel.ts) is answered once, or refused.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createChannel, type End } from '../../src/commands/serve/channel.ts';

type OfPrimary = { double(points: number): Promise<number>; fails(): void };

/** Two ends. What is sent arrives when it is delivered: all of it at once, as several messages do that one read has brought. */
function createEnds(): readonly [End, End, deliver: () => void] {
  const all = [new EventEmitter(), new EventEmitter()] as const;
  const sent: (readonly [to: EventEmitter, message: object])[] = [];
  const endAt = (own: EventEmitter, other: EventEmitter): End => ({
    on: (event, listener) => own.on(event, listener),
    send: (message) => sent.push([other, message]) > 0,
  });
  const deliver = () => {
    for (const [to, message] of sent.splice(0)) to.emit('message', message);
  };
  return [endAt(all[0], all[1]), endAt(all[1], all[0]), deliver];
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

function createPair() {
  const [atPrimary, atWorker, deliver] = createEnds();
  createChannel(atPrimary, {
    double: async (points: number) => 2 * points,
    fails() {
      throw new Error('Not today.');
    },
  });
  return { worker: createChannel<OfPrimary>(atWorker, {}), deliver };
}

test('each question has its own answer, which may be that it failed', async () => {
  const { worker, deliver } = createPair();
  const asked = Promise.allSettled([worker.ask('double', 3), worker.ask('fails'), worker.ask('double', 5)]);
  deliver();
  await turn();
  deliver();
  expect(await asked).toMatchObject([{ value: 6 }, { reason: { message: 'Not today.' } }, { value: 10 }]);
});

test('when the other side is gone nobody waits for it, and it is asked nothing more', async () => {
  const { worker, deliver } = createPair();
  const refused = expect(worker.ask('double', 1)).rejects.toThrow('gone');
  worker.close();
  deliver();
  await turn();
  deliver();
  await refused;
  await expect(worker.ask('double', 1)).rejects.toThrow('gone');
});
