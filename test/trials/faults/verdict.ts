// What trials of faults say of a load: when the gateway served again, and whether the store agrees with what was answered.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { say } from '../say.ts';
import { quantile, report } from '../test-bed.ts';
import { type Entry, isWrong, judgeLedger, outcomeOf } from './ledger.ts';

const POLL_MS = 5;

/**
 * Waits until requests that were sent after a moment were answered well: reads and writes, over both faces.
 * @param since of performance.now()
 * @returns the milliseconds from then to the last of these four answers; null where it took longer than `timeoutMs`
 */
export async function untilServed(
  entries: readonly Entry[],
  since: number,
  timeoutMs: number,
): Promise<number | null> {
  const needed = new Set(['rest reads', 'rest writes', 'graphql reads', 'graphql writes']);
  let seen = entries.length;
  while (performance.now() - since < timeoutMs) {
    for (; seen < entries.length; seen++) {
      const entry = entries[seen] as Entry;
      if (entry.sentAt >= since && outcomeOf(entry) === 'made')
        needed.delete(`${entry.face} ${entry.action === null ? 'reads' : 'writes'}`);
    }
    if (needed.size === 0) return performance.now() - since;
    await sleep(POLL_MS);
  }
  return null;
}

/** Prints how often each status was answered, and how fast; wrong answers make the trial fail. */
export function reportAnswers(what: string, entries: readonly Entry[]): void {
  const byStatus = [...Map.groupBy(entries, ({ status }) => status)].sort(([a], [b]) => a - b);
  const counts = byStatus.map(
    ([status, of]) => `${of.length} x ${status === 0 ? 'connection ended' : status}`,
  );
  const times = entries.map(({ ms }) => ms);
  const wrong = entries.filter(isWrong);
  for (const { requestId, status, text } of wrong.slice(0, 5)) say(`    ${requestId}: ${status} ${text}`);
  report(
    `${what}: ${entries.length} requests, ${counts.join(', ')}; p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms, longest ${quantile(times, 1)} ms; ${wrong.length} wrong`,
    wrong.length === 0,
  );
}

/** The first few of some entries. */
export function textOf(entries: readonly Entry[]): string {
  return entries
    .slice(0, 3)
    .map(({ requestId, status, text }) => `${requestId} ${status} ${text.slice(0, 200)}`)
    .join('; ');
}

/** Compares the ledger with the store, and prints what is not as it was answered. */
export async function reportLedger(
  what: string,
  url: string,
  run: string,
  entries: readonly Entry[],
): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const { acknowledged, refused, unknown, unknownButMade, findings } = await judgeLedger(
      pool,
      run,
      entries,
    );
    for (const [name, all] of Object.entries(findings))
      for (const one of all.slice(0, 5)) say(`    ${name}: ${one}`);
    const counts = Object.entries(findings).map(([name, all]) => `${all.length} ${name}`);
    report(
      `${what}: ${acknowledged} changes acknowledged, ${refused} refused, ${unknown} without an answer (${unknownButMade} of them made); ${counts.join(', ')}`,
      acknowledged > 0 && Object.values(findings).every(({ length }) => length === 0),
    );
  } finally {
    await pool.end();
  }
}
