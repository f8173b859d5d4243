// Writers whose transactions overlap in every way: they wait before, between and after their rows and hold ids meanwhile, roll back,
// whole or to a savepoint, and wait for each other's locks.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface Writers {
  /** How many rows they have committed. */
  committed(): number;
  /** Until they have committed so many. */
  done: Promise<void>;
}

/** How a row is made, and how one of the oldest is changed. */
export interface WriterStatements {
  insert(client: pg.Client, workspaceId: bigint): Promise<unknown>;
  change(client: pg.Client, workspaceId: bigint, offset: number): Promise<unknown>;
}

const PLAIN: WriterStatements = {
  insert: (client, workspaceId) =>
    client.query('insert into contacts (workspace_id) values ($1)', [workspaceId]),
  change: (client, workspaceId, offset) =>
    client.query(
      `update contacts set updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond') where workspace_id = $1 and id =
        (select id from contacts where workspace_id = $1 order by id offset $2 limit 1)`,
      [workspaceId, offset],
    ),
};

const LOCKS = 4;
/** Rows that are changed as well are among so many of the oldest: walks by time meet them again and again. */
const CHANGED_ROWS = 500;

/** Waits none, or up to some milliseconds; one time in a thousand for long. */
async function wait(mostMs: number): Promise<void> {
  const chance = Math.random();
  if (chance < 0.4) return;
  await sleep(chance < 0.999 ? Math.random() * mostMs : 200);
}

async function writeOnce(
  client: pg.Client,
  workspaceId: bigint,
  statements: WriterStatements,
): Promise<number> {
  const insert = () => statements.insert(client, workspaceId);
  const rows = 1 + Math.floor(Math.random() * 3);
  let kept = 0;
  await client.query('begin');
  await wait(3);
  for (let row = 0; row < rows; row++) {
    const chance = Math.random();
    if (chance < 0.1) {
      await client.query('savepoint s');
      await insert();
      await client.query('rollback to s');
    } else if (chance < 0.2) {
      await client.query('savepoint s');
      await insert();
      await client.query('release s');
      kept++;
    } else {
      await insert();
      kept++;
    }
    await wait(4);
    if (chance > 0.9)
      await client.query('select pg_advisory_xact_lock($1)', [4_711 + Math.floor(Math.random() * LOCKS)]);
  }
  if (Math.random() < 0.1)
    await statements.change(client, workspaceId, Math.floor(Math.random() * CHANGED_ROWS));
  await wait(3);
  const isKept = Math.random() > 0.1;
  await client.query(isKept ? 'commit' : 'rollback');
  return isKept ? kept : 0;
}

/** Twelve of them, each with a connection of its own, until `total` rows are committed. */
export function startWriters(
  url: string,
  workspaceId: bigint,
  total: number,
  statements: WriterStatements = PLAIN,
): Writers {
  let committed = 0;
  async function write(): Promise<void> {
    const client = new pg.Client({ connectionString: url, application_name: 'writer' });
    client.on('error', () => {});
    await client.connect();
    try {
      while (committed < total) {
        // Of two that wait for each other's locks one is ended.
        const kept = await writeOnce(client, workspaceId, statements).catch(
          async (error: { code?: string }) => {
            if (error.code !== '40P01') throw error;
            await client.query('rollback');
            return 0;
          },
        );
        committed += kept;
      }
    } finally {
      await client.end();
    }
  }
  return {
    committed: () => committed,
    done: Promise.all(Array.from({ length: 12 }, write)).then(() => undefined),
  };
}
