// The gateway's clock jumps by an hour, back, and by ten years under load: requests are answered as before, and nothing is left of it.
// `npm run trial -- clock-jumps [requests a second]`, 10 by default. It needs Debian's `libfaketime`. Deadlines and pauses are measured by
// the clock that only goes forward.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './faults/gateway.ts';
import { isWrong } from './faults/ledger.ts';
import { startLoad } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { createCallers } from './faults/tenants.ts';
import { reportLedger } from './faults/verdict.ts';
import { quantile, report } from './test-bed.ts';

const PER_SECOND = Number(process.argv[3] ?? 10);
const HOUR_S = 3_600;
const JUMPS_S = [HOUR_S, -HOUR_S, 10 * 366 * 24 * HOUR_S, 0];
const MAY_TAKE_MS = 5_000;

const library = await findLibrary();
const folder = await mkdtemp(join(tmpdir(), 'fg-clock-'));
const clock = join(folder, 'clock');
await writeFile(clock, '+0');
const postgres = await startPostgres();
const gateway = await createCallers(postgres.url, 2).then(async (callers) => {
  const faked = {
    ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1' },
    ...{ DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  };
  return { callers, process: await serve({ DATABASE_URL: postgres.url, LOG_LEVEL: 'error', ...faked }) };
});
try {
  const { origin, log } = gateway.process;
  const run = `clock-${process.pid}`;
  const load = startLoad({ origin: () => origin, callers: gateway.callers, perSecond: PER_SECOND, run });
  await sleep(2_000);
  let since = 0;
  for (const seconds of JUMPS_S) {
    await writeFile(clock, `${seconds < 0 ? '' : '+'}${seconds}`);
    const { headers, ok } = await fetch(`${origin}/readyz`);
    const offS = Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 1_000);
    await sleep(4_000);
    const entries = load.entries.slice(since);
    since = load.entries.length;
    const failed = entries.filter((entry) => isWrong(entry) || entry.status === 0 || entry.status === 503);
    const slowest = quantile(
      entries.map(({ ms }) => ms),
      1,
    );
    // The Date header is renewed once a second.
    report(
      `clock off by ${seconds} s (its Date header by ${offS}), ready ${ok}: ${entries.length} answered, ${failed.length} failed, slowest ${slowest} ms ${failed[0]?.text.slice(0, 200) ?? ''}`,
      ok && failed.length === 0 && entries.length > 0 && slowest < MAY_TAKE_MS,
    );
  }
  await load.stop();
  await reportLedger('clock', postgres.url, run, load.entries);
  const { child } = gateway.process;
  report(
    `the process is the same, and has logged ${log.length} errors ${log[0] ?? ''}`,
    child.exitCode === null,
  );
} finally {
  report(`it ends with ${await gateway.process.end('SIGTERM')}`, true);
  await postgres.remove();
  await rm(folder, { recursive: true, force: true });
}

/** Several threads use the clock: the library's variant for them. */
async function findLibrary(): Promise<string> {
  for (const machine of await readdir('/usr/lib')) {
    const path = join('/usr/lib', machine, 'faketime/libfaketimeMT.so.1');
    const names = await readdir(join(path, '..')).catch(() => [] as string[]);
    if (names.includes('libfaketimeMT.so.1')) return path;
  }
  throw new Error('This trial needs the Debian package libfaketime.');
}
