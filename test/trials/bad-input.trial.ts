// Hostile requests, generated from openapi.json and schema.graphql and made by hand, are all answered as documented, and change nothing.
// `npm run trial -- bad-input [requests] [--seed N]`: 200,000 of them, by the seed that is printed. What fails is kept as bytes to replay.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../support/bad-input/campaign.ts';
import { createChangeLog } from '../support/bad-input/change-log.ts';
import { createRandom } from '../support/bad-input/random.ts';
import { settle, startGateway } from './gateway-process.ts';
import { say } from './say.ts';
import { quantile, report, withTestBed } from './test-bed.ts';

const MAX_MS = 250;
const AT_ONCE = 4;

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: { seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
});
const requests = Number(positionals[0] ?? 200_000);
const seed = Number(values.seed);
say(`${requests} requests, --seed ${seed}`);

await withTestBed(async ({ url, gateway: createGateway }) => {
  const { app } = createGateway();
  const changes = await createChangeLog(app.store.pool);
  const gateway = await startGateway({
    ...{ DATABASE_URL: url, LOG_LEVEL: 'error', JOBS: 'off' },
    SECRET_KEY: 'a secret key for trials and of no use to anybody',
  });
  let logged = '';
  for (const stream of [gateway.child.stdout])
    stream?.on('data', (chunk: Buffer) => {
      if (logged.length < 100_000) logged += chunk.toString();
    });
  const startedAt = performance.now();
  const port = Number(new URL(gateway.origin).port);
  const before = await gateway.memory();
  try {
    const outcome = await run({
      ...{ app, port, changes, requests, atOnce: AT_ONCE, maxMs: MAX_MS },
      random: createRandom(seed),
      onBatch: (sent) => {
        if (sent % 10_000 === 0)
          say(`${sent} sent, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      },
    });
    await settle();
    const { findings, statuses, times, slowOnce } = outcome;
    const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`);
    say(`answers: ${answers.join(', ')}`);
    say(
      `ms: p50 ${quantile(times, 0.5)}, p99 ${quantile(times, 0.99)}, p99.9 ${quantile(times, 0.999)}, most ${quantile(times, 1)}`,
    );
    say(`MiB: ${before.toFixed(0)} before, ${(await gateway.memory()).toFixed(0)} after`);
    const folder = findings.length === 0 ? '' : await mkdtemp(join(tmpdir(), 'fg-bad-input-'));
    for (const [index, { what, why, bytes }] of findings.entries()) {
      const file = join(folder, `${index}.http`);
      await writeFile(file, bytes);
      report(`${what}: ${why}\n     nc 127.0.0.1 PORT < ${file}`, false);
    }
    report(
      `${findings.length} answers were not as they should be, or came with a change that was refused`,
      findings.length === 0,
    );
    report(`${slowOnce} answers took more than ${MAX_MS} ms, and less when asked for again alone`, true);
    report(`the gateway logged no failure ${logged.slice(0, 2_000)}`, logged === '');
  } finally {
    await gateway.stop();
  }
});
