// Hostile requests, generated from openapi.json and schema.graphql and made by hand, are all answered as documented, and change nothing.
// `npm run trial -- bad-input [requests] [--seed N]`: 200,000 of them, by the seed that is printed. What fails is kept as bytes to replay.
import { parseArgs } from 'node:util';
import { run } from '../support/bad-input/campaign.ts';
import { createRandom } from '../support/bad-input/random.ts';
import { withHostileSender } from './bad-input/hostile-trial.ts';
import { say } from './say.ts';

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: { seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
});
const requests = Number(positionals[0] ?? 200_000);
const seed = Number(values.seed);
say(`${requests} requests, --seed ${seed}`);

await withHostileSender(async (app, sender) => {
  const startedAt = performance.now();
  const onBatch = (sent: number) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    if (sent % 10_000 === 0) say(`${sent} sent, ${seconds} s`);
  };
  await run({ app, sender, random: createRandom(seed), requests, onBatch });
});
