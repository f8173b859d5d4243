// Contacts in bulk. They come in chunks, each a transaction of its own: what is cut short leaves whole chunks behind and nothing in between.
import type pg from 'pg';
import { requestCancel } from '../connections/cancel.ts';
import { cancellingOn } from '../connections/cancelling.ts';
import { transactionOn } from '../connections/executor.ts';
import { LIFT_LIMITS } from '../connections/time-limits.ts';
import { createPerson } from './people.ts';
import { createRandom } from './random.ts';

export interface BulkOptions {
  readonly workspaceId: bigint;
  readonly count: number;
  /** Dates are spread over the years before. */
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Told after every chunk how many more have been added. */
  readonly onProgress: (added: number) => void;
}

const CHUNK_ROWS = 100_000;
/** Chunks that are under way at once. */
const MAX_WORKERS = 3;

const SPREAD_DAYS = 4 * 365;

/** Names, of which each contact has one. Addresses are unique for good, since ids are; and reserved, so nobody real is written to (RFC 2606). */
const PEOPLE = ((random) => Array.from({ length: 1_000 }, () => createPerson(random)))(createRandom(1));

const INSERT = `insert into contacts (id, workspace_id, email_address, first_name, last_name, phone_number, time_zone,
    unsubscribed_at, email_suppression_reason, custom_attributes, created_at, updated_at)
  with c as materialized (
    select draw_id(3, 'contacts_id_seq') as id, $5::timestamptz - interval '1 day' * (${SPREAD_DAYS} * (1 - n / $4::float8)) as created
    from generate_series($2::int, $3::int) n
  )
  select c.id, $1::bigint, p."mailbox" || '.' || c.id || '@example.com', p."firstName", p."lastName",
    case when random() < 0.6 then p."phoneNumber" end, p."timeZone",
    case when random() < 0.08 then c.created + random() * ($5::timestamptz - c.created) end,
    case when random() < 0.02 then 'hard_bounce' end, json_build_object('country', p."country"), c.created, c.created
  from c join (select *, row_number() over () - 1 as number from json_to_recordset($6::json)
        as x ("mailbox" text, "firstName" text, "lastName" text, "phoneNumber" text, "timeZone" text, "country" text)) p
      on p.number = c.id % ${PEOPLE.length}`;

/**
 * Adds contacts to a workspace.
 * @returns how many were added for good: fewer than asked for when the signal came first
 */
export async function insertManyContacts(pool: pg.Pool, options: BulkOptions): Promise<number> {
  const { count, workspaceId, now, signal } = options;
  const people = JSON.stringify(PEOPLE);
  let begun = 0;
  let added = 0;
  async function work(): Promise<void> {
    while (begun < count && !signal.aborted) {
      const from = begun;
      begun = Math.min(count, begun + CHUNK_ROWS);
      const values = [workspaceId, from, begun - 1, count, now, people];
      const rows = begun - from;
      await withoutLimits(pool, (client) => client.query(INSERT, values), signal);
      added += rows;
      options.onProgress(rows);
    }
  }
  const workers = Array.from({ length: MAX_WORKERS }, () =>
    work().catch((error: unknown) => {
      begun = count;
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(workers);
  if (added > 0) await withoutLimits(pool, (client) => client.query('analyze contacts'));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed && !signal.aborted) throw failed.reason;
  return added;
}

/** Executes one transaction without the limits that requests have. */
async function withoutLimits(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<unknown>,
  signal = new AbortController().signal,
): Promise<void> {
  const client = await pool.connect();
  try {
    const done = transactionOn(client, async () => {
      await client.query(LIFT_LIMITS);
      await work(client);
    });
    await cancellingOn(signal, () => requestCancel(pool.options, client), done);
  } finally {
    client.release(signal.aborted);
  }
}
