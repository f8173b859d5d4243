// Walks on a streaming replica that lags. It does not see the locks of the primary: the primary's mark comes with the position of
// its log, read last, and is used once the replica has replayed that.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { closeApp, createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/output/log.ts';
import { MARKS, MARKS_VALUES, toMarks } from '../../../src/store/high-water-marks/high-water-marks.ts';
import { applyMigrations } from '../../../src/store/migrations/migrations.ts';
import * as factories from '../../support/factories.ts';
import { startReplicated } from '../faults/replicated.ts';
import { findDebians } from '../faults/servers.ts';
import { report } from '../test-bed.ts';
import { compare } from './walkers.ts';
import { startWriters } from './writers.ts';

/** How far the replica is behind. */
const LAG = '50ms';

interface Position {
  readonly id: bigint;
  readonly log: string;
}

/** The primary's mark of contacts, and where its log was afterwards. */
async function ask(primary: pg.Client): Promise<Position> {
  const text = `${MARKS.text.replace(' from ', ', pg_current_wal_insert_lsn()::text from ')}`;
  const { rows } = await primary.query<string[]>({ text, values: MARKS_VALUES, rowMode: 'array' });
  const [row = []] = rows;
  return { id: toMarks(row).contacts.id, log: row[3] ?? '' };
}

/** @param withoutReplay takes each mark at once: then rows are skipped */
export async function tryReplica(total: number, withoutReplay: boolean): Promise<void> {
  if ((await findDebians()) === null) {
    process.stdout.write("no replica was tried: it needs Debian's package postgresql\n");
    return;
  }
  const database = await startReplicated({ isSynchronous: false, lag: LAG });
  const log = createLogger('silent');
  const app = createApp(
    parseConfig({}, '/').config,
    { databaseUrl: database.url, secretKeys: () => [''] },
    { log },
  );
  const clients = [database.url, database.replicaUrl].map(
    (connectionString) => new pg.Client({ connectionString }),
  );
  const [primary, replica] = clients as [pg.Client, pg.Client];
  try {
    await applyMigrations(app.store.pool);
    const { id: workspaceId } = await factories.workspace(app);
    await Promise.all(clients.map((client) => client.connect()));
    const waiting: Position[] = [];
    const seen: number[] = [];
    let mark = 0n;
    async function walk(): Promise<number> {
      waiting.push(await ask(primary));
      const { rows: replayed } = await replica.query<{ is_replayed: boolean }>(
        'select pg_last_wal_replay_lsn() >= p::pg_lsn as is_replayed from unnest($1::text[]) p',
        [waiting.map((position) => position.log)],
      );
      const usable = withoutReplay ? waiting.length : replayed.filter((row) => row.is_replayed).length;
      mark = waiting.splice(0, usable).at(-1)?.id ?? mark;
      const { rows } = await replica.query<{ id: string }>(
        'select id from contacts where workspace_id = $1 and id > $2 and id <= $3 order by id limit 100',
        [workspaceId, seen.at(-1) ?? 0, mark],
      );
      for (const { id } of rows) seen.push(Number(id));
      return rows.length;
    }
    // Its workspace has to arrive there first.
    await sleep(1_000);
    const writers = startWriters(database.url, workspaceId, total);
    let isOver = false;
    const over = writers.done.finally(() => {
      isOver = true;
    });
    while (!isOver) if ((await walk()) === 0) await sleep(1);
    await over;
    await sleep(1_000);
    for (let empty = 0; empty < 3; ) empty = (await walk()) === 0 ? empty + 1 : 0;
    const { rows } = await primary.query<{ id: string }>(
      'select id from contacts where workspace_id = $1 order by id',
      [workspaceId],
    );
    const { skipped, repeated } = compare(
      seen,
      rows.map(({ id }) => Number(id)),
    );
    report(
      `on a replica ${LAG} behind: ${rows.length} rows, ${skipped} skipped, ${repeated} repeated`,
      skipped === 0 && repeated === 0,
    );
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await closeApp(app);
    await database.remove();
  }
}
