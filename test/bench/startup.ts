// From the start of the command to its first answer, an authenticated page of contacts, on a store that is there already:
// with a database that runs (`DATABASE_URL`), and with the embedded one that the gateway has to start itself.
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import { getRequest } from './requests.ts';
import { median, spread } from './stats.ts';
import { startSubject } from './subject.ts';
import { SUBJECTS } from './subjects.ts';
import { ask, pagePath } from './workloads.ts';

export interface StartResult {
  readonly embedded: number | null;
  readonly databaseUrl: number | null;
  readonly rows: Row[];
}

/** Stops the database for a while: no other subject may run. */
export async function measureStarts(bench: Bench): Promise<StartResult> {
  const { progress, dataset } = bench;
  progress.say('(g) Start-up with DATABASE_URL');
  const databaseUrl = await startTimes(bench, {});
  progress.say('(g) Start-up with the embedded database');
  await dataset.close();
  const embedded = await startTimes(bench, { DATABASE_URL: undefined, DATA_DIR: dataset.dataDir });
  await dataset.open();
  return {
    databaseUrl: databaseUrl && median(databaseUrl),
    embedded: embedded && median(embedded),
    rows: [toRow('with DATABASE_URL', databaseUrl), toRow('with the embedded database', embedded)].flat(),
  };
}

async function startTimes(bench: Bench, env: Record<string, string | undefined>): Promise<number[] | null> {
  const times: number[] = [];
  // The first start is not timed: it brings the files into memory, and it is the second one that has a goal.
  for (let i = 0; i <= bench.plan.starts; i++) {
    const seconds = await attempt(bench, 'gateway, start-up', () => startOnce(bench, env));
    if (seconds === null) return null;
    if (i > 0) times.push(seconds);
  }
  return times;
}

async function startOnce(bench: Bench, env: Record<string, string | undefined>): Promise<number> {
  const { manifest } = bench.dataset;
  const startedAt = performance.now();
  const subject = await startSubject({ ...SUBJECTS.gateway, name: 'gateway-start', env }, bench.settings);
  try {
    const { status, body } = await ask(subject, getRequest(pagePath(manifest, 20, 0), manifest.token));
    if (status !== 200) throw new Error(`status ${status}: ${body.slice(0, 200)}`);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await subject.stop();
  }
}

function toRow(how: string, times: number[] | null): Row[] {
  if (times === null) return [];
  return [
    plainRow({
      part: 'g',
      workload: `(g) second start to first answer, ${how}`,
      subject: 'gateway',
      spread: spread(times),
      note: `${median(times).toFixed(3)} s`,
    }),
  ];
}
