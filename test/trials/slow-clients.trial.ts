// Thousands of clients that send heads, bodies, or read answers as slowly as they can: what a good client notices, and the memory.
// `npm run trial -- slow-clients [connections of each kind] [seconds of each kind]`; 2,000 and 20 by default.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type GatewayProcess, startGateway } from './gateway-process.ts';
import { say } from './say.ts';
import { quantile, report } from './test-bed.ts';

const [connections = 2_000, seconds = 20] = process.argv.slice(3).map(Number);
const KINDS = ['heads', 'bodies', 'answers'];
/** How much more memory there may be, beside what open connections take, which is bounded by their number. */
const MAX_MORE_MIB = 200;

interface Attack {
  /** Its last words. */
  last(): { open: number; closed: number; refused: number };
  stop(): Promise<void>;
}

function attack(gateway: GatewayProcess, kind: string): Attack {
  const program = fileURLToPath(new URL('slow-attack.ts', import.meta.url));
  const args = [program, new URL(gateway.origin).port, kind, String(connections)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = { open: 0, closed: 0, refused: 0 };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    last = JSON.parse(text.trim().split('\n').at(-1) ?? '') as typeof last;
  });
  return {
    last: () => last,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

/** What a client that behaves gets, on a new connection each time. */
async function good(gateway: GatewayProcess): Promise<{ times: number[]; failed: number; memory: number }> {
  const times: number[] = [];
  let failed = 0;
  let memory = 0;
  const until = performance.now() + seconds * 1_000;
  const headers = { Authorization: `Bearer ${gateway.key}` };
  while (performance.now() < until) {
    const startedAt = performance.now();
    const status = await gateway.send('/api/v2/workspaces/1/contacts', { headers }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) times.push(performance.now() - startedAt);
    else failed += 1;
    memory = Math.max(memory, await gateway.memory());
    await sleep(10);
  }
  return { times, failed, memory };
}

const gateway = await startGateway({ JOBS: 'off' });
try {
  await good(gateway);
  const alone = await good(gateway);
  say(
    `alone: p50 ${quantile(alone.times, 0.5)} ms, p99 ${quantile(alone.times, 0.99)} ms, ${Math.round(alone.memory)} MiB`,
  );
  for (const kind of KINDS) {
    const attackers = attack(gateway, kind);
    const beside = await good(gateway);
    const { open, closed, refused } = attackers.last();
    await attackers.stop();
    await sleep(2_000);
    const p99 = quantile(beside.times, 0.99);
    const memory = `${Math.round(beside.memory)} MiB at most, ${Math.round(await gateway.memory())} MiB afterwards`;
    report(
      `slow ${kind}: ${open} connections, ${closed} closed by the gateway (${refused} reset); the good client: ${beside.times.length} answers, p50 ${quantile(beside.times, 0.5)} ms, p99 ${p99} ms, ${beside.failed} failed; ${memory}`,
      beside.failed === 0 && p99 < 250 && beside.memory < alone.memory + MAX_MORE_MIB,
    );
  }
} finally {
  await gateway.stop();
}
