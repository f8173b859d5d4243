// Contacts of one workspace at 100,000, 1,000,000 and 10,000,000 rows: what each operation costs, and how that grows; and partitions are
// dropped, and rows deleted in batches, while requests go on. `npm run trial -- growth [largest [requests of each kind]]`, by default
// 1000000 and 200. The stores are filled once, and kept below .cache/growth (about 1.5 GB a million).
import { insertManyContacts } from '../../src/store/seed/contacts.ts';
import { Connection } from '../bench/connection.ts';
import { median } from '../bench/stats.ts';
import { tryDropping } from './growth/dropping.ts';
import { OPERATIONS, type Operation } from './growth/operations.ts';
import { openSize, type Size } from './growth/sizes.ts';
import { reportStorage } from './growth/storage.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

const LARGEST = Number(process.argv[3] ?? 1_000_000);
const REQUESTS = Number(process.argv[4] ?? 200);
const SMALLEST = Math.min(LARGEST, 100_000);
const IMPORTED = 20_000;
const IMPORTS = 3;
/** An import ends with statistics of the whole table, of a sample of it that grows with the table up to a bound. */
const MOST_OF_IMPORT = 2.5;

const sizes: Size[] = [];
try {
  for (let rows = SMALLEST; rows <= LARGEST; rows *= 10) sizes.push(await openSize(rows));
  say(
    `\n${'ms, the median'.padEnd(38)}${sizes.map(({ rows }) => rows.toLocaleString('en').padStart(12)).join('')}   ratio to the first`,
  );
  for (const operation of OPERATIONS) await measure(operation);
  await measureImport();
  for (const size of sizes) await reportStorage(size);
} finally {
  for (const size of sizes) await size.close();
}
await tryDropping();

async function measure({ name, most, isSlow = false, request, onAnswer }: Operation): Promise<void> {
  const times = sizes.map((): number[] => []);
  const wanted = isSlow ? Math.ceil(REQUESTS / 10) : REQUESTS;
  const warmUp = Math.ceil(wanted / 5);
  // One that is silent for long is closed.
  const connections = sizes.map(({ port }) => new Connection(port));
  for (let n = -warmUp; n < wanted; n++)
    for (const [index, { dataset, made }] of sizes.entries()) {
      const sent = Buffer.from(request(dataset.manifest, n + warmUp, made));
      const startedAt = performance.now();
      const { status, body } = await (connections[index] as Connection).ask(sent);
      const ms = performance.now() - startedAt;
      if (status >= 300) throw new Error(`${name}: ${status} ${body}`);
      onAnswer?.(body, made);
      if (n >= 0) times[index]?.push(ms);
    }
  for (const connection of connections) connection.close();
  tell(name, times.map(median), most);
}

/** As `seed` does it. */
async function measureImport(): Promise<void> {
  const times = sizes.map((): number[] => []);
  for (let n = 0; n < IMPORTS; n++)
    for (const [index, { pool, dataset }] of sizes.entries()) {
      const startedAt = performance.now();
      await insertManyContacts(pool, {
        ...{ workspaceId: BigInt(dataset.manifest.workspaceId), count: IMPORTED, now: new Date() },
        ...{ signal: new AbortController().signal, onProgress() {} },
      });
      times[index]?.push(performance.now() - startedAt);
    }
  tell(`import of ${IMPORTED.toLocaleString('en')}`, times.map(median), MOST_OF_IMPORT);
}

function tell(name: string, medians: readonly number[], most: number): void {
  const first = medians[0] ?? Number.NaN;
  const ratios = medians.slice(1).map((ms) => ms / first);
  const figures = medians.map((ms) => ms.toFixed(ms < 100 ? 2 : 0).padStart(12)).join('');
  report(
    `${name.padEnd(33)}${figures}   ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} (at most ${most})`,
    ratios.every((ratio) => ratio <= most),
  );
}
