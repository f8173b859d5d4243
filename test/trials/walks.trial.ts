// Walks through lists to which twelve writers add: no row is skipped, and none is shown twice.
// `npm run trial -- walks [rows] [--without-mark] [--without-replay]`; 1,000,000 by default. With the first option lists end nowhere,
// with the second one a replica takes the primary's mark at once: then rows are skipped, and the trial fails. The part about a
// streaming replica needs Debian's `postgresql`.
import type { HighWaterMarks, MarksAnswer } from '../../src/store/high-water-marks/high-water-marks.ts';
import { TYPE_NUMBER } from '../../src/store/sql/public-ids.ts';
import { type TestBed, withTestBed } from './test-bed.ts';
import { createFace, walkBeside } from './walks/beside.ts';
import { tryCost } from './walks/cost.ts';
import { tryReplica } from './walks/replica.ts';
import { tryStuck } from './walks/stuck.ts';
import type { Send } from './walks/walkers.ts';
import { startWriters } from './walks/writers.ts';

const options = process.argv.slice(3);
const ROWS = Number(options.find((option) => !option.startsWith('--')) ?? 1_000_000);
const WITHOUT_MARK = options.includes('--without-mark');
const WITHOUT_REPLAY = options.includes('--without-replay');

/** Everything is settled. */
function noMarks(): HighWaterMarks {
  const all = { id: 2n ** 63n - 2n, time: 8_640_000_000_000_000, drawn: 2n ** 63n - 2n };
  const tables = Object.fromEntries(
    Object.keys(TYPE_NUMBER).map((table) => [table, all]),
  ) as MarksAnswer['tables'];
  const told = { tables, generation: 0, number: 0 };
  return { latest: () => told, generation: () => 0, asked: () => 0, after: async () => told, forget() {} };
}

async function walk({ url, tenants: [tenant], gateway }: TestBed): Promise<void> {
  const apps = [gateway().app, gateway().app] as const;
  const faces = apps.map((app) =>
    createFace(app, tenant.authorization, WITHOUT_MARK ? noMarks() : undefined),
  ) as [Send, Send];
  const { workspaceId } = tenant;
  const { skipped, repeated, missed } = await walkBeside(
    { faces, workspaceId, pool: apps[0].store.pool },
    () => startWriters(url, workspaceId, ROWS),
  );
  process.stdout.write(
    `    in all ${skipped} skipped, ${repeated} repeated, ${missed} last changes missed\n`,
  );
}

await withTestBed(async (testBed) => {
  await walk(testBed);
  if (WITHOUT_MARK) return;
  await tryStuck(testBed);
  await tryCost(testBed, noMarks());
});
await tryReplica(Math.min(ROWS, 50_000), WITHOUT_REPLAY);
