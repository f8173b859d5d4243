// Hostile requests over a real socket, the same ones each time: a sample of what the trial `bad-input` sends.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listener, listen } from '../src/http/listener.ts';
import { run } from './support/bad-input/campaign.ts';
import { createChangeLog } from './support/bad-input/change-log.ts';
import { createRandom } from './support/bad-input/random.ts';
import { createSender } from './support/bad-input/sender.ts';
import { createGateway, type Gateway } from './support/gateway.ts';
import { breakages } from './support/hostile.ts';

const SEED = 14;
const REQUESTS = 2_000;

let gateway: Gateway;
let listener: Listener;

beforeAll(async () => {
  gateway = await createGateway({ env: { PORT: '0' } });
  listener = await listen(gateway.app);
});
afterAll(async () => {
  await listener.close();
  await gateway.close();
});

test('every answer is documented, nothing breaks, and what is refused changes nothing', {
  timeout: 120_000,
}, async () => {
  const { app } = gateway;
  const changes = await createChangeLog(app.store.pool);
  const sender = createSender({ port: listener.port, changes });
  await run({ app, sender, random: createRandom(SEED), requests: REQUESTS });
  sender.close();
  const { findings } = sender.outcome;
  expect(
    findings.map(({ what, why, bytes }) => `${what}: ${why}\n${bytes.toString('latin1', 0, 1_000)}`),
  ).toEqual([]);
  expect(breakages(gateway)).toEqual([]);
});
