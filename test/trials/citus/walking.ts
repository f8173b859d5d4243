// Walks through a list of a distributed store, beside writers whose transactions overlap: nothing is skipped. Without floors, something is.
import type pg from 'pg';
import type { App } from '../../../src/context.ts';
import * as factories from '../../support/factories.ts';
import { say } from '../say.ts';
import { report } from '../test-bed.ts';
import { createFace, walkBeside } from '../walks/beside.ts';
import { startWriters, type WriterStatements } from '../walks/writers.ts';

/** The times of changes are taken on the coordinator, where their floors are announced: no trigger of a shard can do it. */
const DISTRIBUTED: WriterStatements = {
  insert: (client, workspaceId) =>
    client.query('insert into contacts (workspace_id, updated_at) values ($1, draw_time(3))', [workspaceId]),
  async change(client, workspaceId, offset) {
    const { rows } = await client.query<{ id: string; time: Date }>(
      'select id, draw_time(3) as time from contacts where workspace_id = $1 order by id offset $2 limit 1',
      [workspaceId, offset],
    );
    const [{ id, time } = { id: '0', time: new Date() }] = rows;
    await client.query(
      'update contacts set updated_at = $3 where workspace_id = $1 and id = $2 and updated_at < $3',
      [workspaceId, id, time],
    );
  },
};

/** What is under way counts as settled. */
const WITHOUT_FLOORS = `create or replace function horizons(
    type_numbers integer[], sequences regclass[], out drawn bigint[], out ids bigint[], out times bigint[]
  ) language plpgsql volatile as $$
  begin
    drawn := array(select coalesce(pg_sequence_last_value(s.name), 0) from unnest(sequences) with ordinality s (name, n) order by s.n);
    ids := drawn;
    times := array(select floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 1 from unnest(type_numbers));
  end
  $$`;

/** @param apps two gateways on the store @param rows how many are written with floors; a tenth of it without */
export async function tryWalks(apps: readonly [App, App], url: string, rows: number): Promise<void> {
  const [{ store }] = apps;
  const walk = async (count: number, tell: typeof report) => {
    const { id: workspaceId, teamId } = await factories.workspace(apps[0]);
    const { authorization } = await factories.apiKey(apps[0], { teamId });
    const [one, two] = apps;
    const faces = [createFace(one, authorization ?? ''), createFace(two, authorization ?? '')] as const;
    const start = () => startWriters(url, workspaceId, count, DISTRIBUTED);
    return walkBeside({ faces, workspaceId, pool: store.pool, tell }, start);
  };
  await walk(rows, report);
  const guarded = await definitionOf(store.pool);
  await store.pool.query(WITHOUT_FLOORS);
  try {
    const { skipped, missed } = await walk(Math.ceil(rows / 10), (finding) => say(`    ${finding}`));
    report(
      `without floors ${skipped} rows were skipped, and ${missed} last changes missed`,
      skipped > 0 && missed > 0,
    );
  } finally {
    await store.pool.query(guarded);
  }
}

async function definitionOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ text: string }>(
    "select pg_get_functiondef('horizons(integer[], regclass[])'::regprocedure) as text",
  );
  return rows[0]?.text ?? '';
}
