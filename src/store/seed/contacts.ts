// Contacts in bulk, through COPY. They come in chunks, each a transaction of its own: what is cut short leaves whole
// chunks behind and nothing in between. Ids are drawn in the same transaction.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { requestCancel } from '../connections/cancel.ts';
import { cancellingOn } from '../connections/cancelling.ts';
import { LIFT_LIMITS } from '../connections/time-limits.ts';
import { createPerson, type Person } from './people.ts';
import { createRandom, type Random } from './random.ts';

export interface BulkOptions {
  readonly workspaceId: bigint;
  readonly count: number;
  /** Dates are spread over the years before. */
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Told after every piece of a chunk: how many more were sent to the database. */
  readonly onProgress: (sent: number) => void;
}

const CHUNK_ROWS = 100_000;
const PIECE_ROWS = 500;
/** Chunks that are under way at once: one core makes rows and feeds them, PostgreSQL works on the others. */
const MAX_WORKERS = 3;
const SPREAD_MS = 4 * 365 * 86_400_000;

const COPY = `copy contacts (id, workspace_id, email_address, first_name, last_name, phone_number, time_zone,
  unsubscribed_at, email_suppression_reason, custom_attributes, created_at, updated_at) from stdin`;

/** Ids come as runs: one, unless others draw ids at the same moment. The first draw announces them all. */
const TAKE_IDS = `select min(id) as first, count(*)::int as count from (
    select id, id - row_number() over (order by id) as run
    from (select draw_id(3, 'contacts_id_seq') as id from generate_series(1, $1)) as taken
  ) as runs group by run order by first`;

/**
 * Adds contacts to a workspace.
 * @returns how many were added for good: fewer than asked for when the signal came first
 */
export async function copyContacts(pool: pg.Pool, options: BulkOptions): Promise<number> {
  const starts = Array.from(
    { length: Math.ceil(options.count / CHUNK_ROWS) },
    (_, index) => index * CHUNK_ROWS,
  );
  const next = starts.values();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let added = 0;
  async function worker(): Promise<void> {
    // All connections take chunks from one iterator, each when it is done with the one before.
    for (const start of next) {
      const chunk = { start, rows: Math.min(CHUNK_ROWS, options.count - start) };
      if (signal.aborted) return;
      if (await withClient(pool, (client) => copyChunk(pool, client, chunk, { ...options, signal })))
        added += chunk.rows;
    }
  }
  const workers = Array.from({ length: Math.min(MAX_WORKERS, pool.options.max) }, () =>
    worker().catch((error: unknown) => {
      stop.abort();
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(workers);
  if (added > 0)
    await withClient(pool, (client) => inTransaction(client, () => client.query('analyze contacts')));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return added;
}

/** False when the signal came: nothing of the chunk is kept then. */
async function copyChunk(
  pool: pg.Pool,
  client: pg.PoolClient,
  { start, rows }: { start: number; rows: number },
  { workspaceId, count, now, signal, onProgress }: BulkOptions,
): Promise<boolean> {
  const created = (row: number) => now.getTime() - SPREAD_MS * (1 - (start + row) / count);
  const line = (id: bigint, row: number, random: Random) =>
    contactLine(id, workspaceId, { created: created(row), now: now.getTime() }, random);
  const cancel = () => requestCancel(pool.options, client);
  const copy = async () => {
    const runs = await client.query<{ first: string; count: number }>(TAKE_IDS, [rows]);
    const lines = Readable.from(contactLines(idsOf(runs.rows), line, onProgress));
    await pipeline(lines, client.query(copyFrom(COPY)), { signal });
  };
  try {
    await inTransaction(client, () => cancellingOn(signal, cancel, copy()));
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Without the time limit that statements of requests have. */
async function inTransaction(client: pg.PoolClient, work: () => Promise<unknown>): Promise<void> {
  await client.query(`begin; ${LIFT_LIMITS}`);
  await work();
  await client.query('commit');
}

/** A connection of its own; after a failure it is closed rather than given back, and its transaction ends with it. */
async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let whole = false;
  try {
    const result = await work(client);
    whole = result !== false;
    return result;
  } finally {
    client.release(!whole);
  }
}

function* idsOf(runs: readonly { first: string; count: number }[]): Generator<bigint> {
  for (const { first, count } of runs) {
    for (let offset = 0; offset < count; offset++) yield BigInt(first) + BigInt(offset);
  }
}

function* contactLines(
  ids: Iterable<bigint>,
  line: (id: bigint, row: number, random: Random) => string,
  onPiece: (rows: number) => void,
): Generator<string> {
  let piece = '';
  let row = 0;
  let random: Random | null = null;
  for (const id of ids) {
    random ??= createRandom(Number(BigInt.asUintN(32, id)));
    piece += line(id, row, random);
    if (++row % PIECE_ROWS === 0) {
      yield piece;
      piece = '';
      onPiece(PIECE_ROWS);
    }
  }
  if (piece !== '') yield piece;
  onPiece(row % PIECE_ROWS);
}

/** One line of COPY's text format: tabs between the fields, \N for null. No name or attribute needs an escape. */
function contactLine(
  id: bigint,
  workspaceId: bigint,
  ms: { created: number; now: number },
  random: Random,
): string {
  const person = createPerson(random);
  const created = new Date(ms.created).toISOString();
  const since = () => new Date(ms.created + random.next() * (ms.now - ms.created)).toISOString();
  const fields = [
    id,
    workspaceId,
    addressOf(person, id),
    person.firstName,
    person.lastName,
    random.chance(0.6) ? person.phoneNumber : '\\N',
    person.timeZone,
    random.chance(0.08) ? since() : '\\N',
    random.chance(0.02) ? 'hard_bounce' : '\\N',
    `{"country": "${person.country}"}`,
    created,
    created,
  ];
  return `${fields.join('\t')}\n`;
}

/** Unique for good, since the id is; and reserved, so nobody real can be written to (RFC 2606). */
function addressOf({ mailbox }: Person, id: bigint): string {
  return `${mailbox}.${id.toString(36)}@example.com`;
}
