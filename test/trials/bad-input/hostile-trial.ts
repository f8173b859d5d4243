// What trials of hostile requests have around them: a gateway on a database whose changes are noted, and a report of what was found.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../../src/context.ts';
import { createChangeLog } from '../../support/bad-input/change-log.ts';
import { createSender, type Outcome, type Sender } from '../../support/bad-input/sender.ts';
import { type GatewayProcess, settle, startGateway } from '../gateway-process.ts';
import { say } from '../say.ts';
import { SECRET_KEY } from '../secret-key.ts';
import { quantile, report, withTestBed } from '../test-bed.ts';

const MAX_MS = 250;

/** Runs `work` with an app on the gateway's database, which makes what requests are about; then reports what was found. */
export async function withHostileSender(work: (app: App, sender: Sender) => Promise<void>): Promise<void> {
  await withTestBed(async ({ url, gateway: createGateway }) => {
    const { app } = createGateway();
    const changes = await createChangeLog(app.store.pool);
    const gateway = await startGateway({
      ...{ DATABASE_URL: url, LOG_LEVEL: 'error', JOBS: 'off', SECRET_KEY },
      // What 429 would hide is what is looked for.
      RATE_LIMIT_ADDRESS: '0',
    });
    let logged = '';
    gateway.child.stdout?.on('data', (chunk: Buffer) => {
      if (logged.length < 100_000) logged += chunk.toString();
    });
    const before = await gateway.memory();
    const sender = createSender({ port: Number(new URL(gateway.origin).port), changes, maxMs: MAX_MS });
    try {
      await work(app, sender);
      sender.close();
      await settle();
      await reportOutcome(sender.outcome, gateway, before);
      report(`the gateway logged no failure ${logged.slice(0, 2_000)}`, logged === '');
    } finally {
      await gateway.stop();
    }
  });
}

async function reportOutcome(outcome: Outcome, gateway: GatewayProcess, before: number): Promise<void> {
  const { findings, statuses, times, slowOnce } = outcome;
  const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`);
  say(`answers: ${answers.join(', ')}`);
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(times, share));
  say(
    `ms: p50 ${p50}, p99 ${p99}, most ${most}; MiB: ${before.toFixed(0)} before, ${(await gateway.memory()).toFixed(0)} after`,
  );
  const folder = findings.length === 0 ? '' : await mkdtemp(join(tmpdir(), 'fg-bad-input-'));
  for (const [index, { what, why, bytes }] of findings.entries()) {
    const file = join(folder, `${index}.http`);
    await writeFile(file, bytes);
    report(`${what}: ${why}\n     nc 127.0.0.1 PORT < ${file}`, false);
  }
  report(
    `${findings.length} answers that are not documented, or changes by what was refused`,
    findings.length === 0,
  );
  report(
    `${slowOnce} answers took more than ${MAX_MS} ms beside others, and less when asked for again alone`,
    true,
  );
}
