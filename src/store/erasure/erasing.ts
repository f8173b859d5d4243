// Blanks what is left of an erased contact: rows with its data, visits, events, their queued deliveries, receivers' responses, and audit
// entries. It works in batches, each a short transaction, so that it blocks nothing. After a crash the work continues from the records of
// erasures. Repeating it is harmless.

import { NOUNS } from '../../resources/nouns.ts';
import type { Executor } from '../connections/executor.ts';
import { CANCELED } from '../sql/canceled-deliveries.ts';
import { ERASED } from '../sql/erased.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { blankVisits, erasedRows, forgetVisitor } from './erased-rows.ts';

/** An erasure that is not complete. */
export interface Erasure {
  readonly workspaceId: bigint;
  readonly contactId: bigint;
  readonly eventsThrough: bigint;
  readonly entriesThrough: bigint;
  readonly erasedAt: string;
}

/** Executes work in its own transaction. */
type Run = <T>(work: (tx: Executor) => PromiseLike<T>) => Promise<T>;

/** The progress; `busy`: another process is working on it. */
export type ErasureProgress = 'done' | 'more' | 'busy';

/** One kind of rows to blank that are found by their ids. */
interface Kind {
  /** Finds ids of rows of the workspace `$1` and the contact `$2` that are not blanked yet: at most `$4`. */
  readonly find: string;
  /** The limit up to which rows are blanked: `$3` of `find`. */
  readonly through: 'eventsThrough' | 'entriesThrough' | 'erasedAt';
  /** How many rows are blanked in one batch. */
  readonly batch: number;
  blank(tx: Executor, erasure: Erasure, ids: readonly bigint[]): PromiseLike<unknown>;
}

/** Blanks one batch of rows that have no ids. @returns whether there may be more */
type Drain = (tx: Executor, erasure: Erasure) => Promise<boolean>;

const DRAINS: readonly Drain[] = [blankVisits, forgetVisitor];

const EVENT_IDS = 'd.workspace_id = $1::bigint and d.event_id = any($2::bigint[])';

const find = (table: 'events' | 'audit_entries') => `select t.id from ${table} t
  where t.workspace_id = $1::bigint and t.contact_id = $2::bigint and t.id <= $3::bigint and t.erased_at is null`;

/** Statements that blank rows of the workspace `$1` with the ids `$2`. Those with `isTimed` also take the time `$3`. */
interface Blanking {
  readonly text: string;
  readonly isTimed?: true;
}

const blankBy =
  (statements: readonly Blanking[]): Kind['blank'] =>
  async (tx, { workspaceId, erasedAt }, ids) => {
    for (const { text, isTimed } of statements)
      await tx.$executeRawUnsafe(text, workspaceId, ids, ...(isTimed ? [erasedAt] : []));
  };

/** Rows first: a change of them that was in progress has committed then, with its events and audit entries. */
const KINDS: readonly Kind[] = [
  ...erasedRows(NOUNS).map(
    ({ find, batch, erase }): Kind => ({ find, batch, through: 'erasedAt', blank: erase }),
  ),
  {
    through: 'eventsThrough',
    find: `${find('events')} limit $4::int`,
    // Each event may have a delivery for every endpoint of its workspace.
    batch: 25,
    blank: blankBy([
      // In the same order as recording outcomes of attempts, to avoid deadlocks.
      {
        text: `select d.id from webhook_deliveries d where ${EVENT_IDS} and d.status = 'pending' order by d.id for update of d`,
      },
      // A delivery that is being sent now still arrives, but the response is not stored (delivery-outcomes.ts).
      { text: `update webhook_deliveries d set ${CANCELED} where ${EVENT_IDS} and d.status = 'pending'` },
      {
        text: `update webhook_attempts a set response_start = null
          where a.workspace_id = $1::bigint and a.response_start is not null
            and a.delivery_id in (select d.id from webhook_deliveries d where ${EVENT_IDS})`,
      },
      // Last: a marked event has nothing left to blank.
      {
        text: `update events t set data = null, erased_at = $3::timestamptz
          where t.workspace_id = $1::bigint and t.id = any($2::bigint[]) and t.erased_at is null`,
        isTimed: true,
      },
    ]),
  },
  {
    through: 'entriesThrough',
    find: `${find('audit_entries')} and t.action <> '${ERASED}' limit $4::int`,
    batch: 250,
    blank: blankBy([
      {
        text: `update audit_entries t set before = null, after = null, erased_at = $3::timestamptz
          where t.workspace_id = $1::bigint and t.id = any($2::bigint[]) and t.erased_at is null`,
        isTimed: true,
      },
    ]),
  },
];

/** How many ids one search finds: large, because each search scans past the rows that are already blanked. */
const MAX_FOUND = 2_000;

const COLUMNS = `x.workspace_id as "workspaceId", x.contact_id as "contactId", x.events_through as "eventsThrough",
  x.entries_through as "entriesThrough", x.erased_at::text as "erasedAt"`;

/** Earlier versions use only `done_at`. */
const IS_UNDONE = '(x.done_at is null or x.rows_left)';

/** Incomplete erasures, alternating between teams, the longest waiting of each team first. Considers only the thousand that wait longest. */
export function findUndone(db: Pick<Store, 'pool'>, limit: number): Promise<Erasure[]> {
  return query<Erasure>(db, UNDONE, [limit]);
}

const UNDONE = statement(
  'contact_erasures.undone',
  () => `with undone as materialized (
      select x.* from contact_erasures x where ${IS_UNDONE} order by x.erased_at limit 1000
    ), of_teams as materialized (select u.*, w.team_id from undone u join workspaces w on w.id = u.workspace_id)
    select ${COLUMNS} from of_teams x
    order by row_number() over (partition by x.team_id order by x.erased_at), x.erased_at limit $1::int`,
);

const OF_CONTACT = `select ${COLUMNS} from contact_erasures x
  where x.workspace_id = $1::bigint and x.contact_id = $2::bigint and ${IS_UNDONE}`;

/** The incomplete erasure of a contact; null if it is complete, or there is none. */
export async function findUndoneOf(
  db: Pick<Executor, '$queryRawUnsafe'>,
  workspaceId: bigint,
  contactId: bigint,
): Promise<Erasure | null> {
  const [found] = await db.$queryRawUnsafe<Erasure[]>(OF_CONTACT, workspaceId, contactId);
  return found ?? null;
}

/** The process that blanks locks the record. Other processes skip it, and a new erasure of the contact waits for the batch. */
const TAKE = `${OF_CONTACT} for update of x skip locked`;

/** Not if a new erasure of the contact has added work meanwhile. */
const FINISH = `update contact_erasures x set done_at = current_timestamp, rows_left = false
  where x.workspace_id = $1::bigint and x.contact_id = $2::bigint and x.events_through = $3::bigint and x.entries_through = $4::bigint
    and x.erased_at = $5::timestamptz`;

/**
 * Blanks what is left of an erased contact, in at most `most` batches.
 * @param run executes each batch in its own transaction
 * @param isLittle stop at the first kind of rows with more than one batch
 */
export async function continueErasure(
  run: Run,
  erasure: Erasure,
  most: number,
  isLittle = false,
): Promise<ErasureProgress> {
  const { workspaceId, contactId, eventsThrough, entriesThrough, erasedAt } = erasure;
  let batches = 0;
  /** @returns null while another process is working on the erasure */
  const inBatch = <T>(work: (tx: Executor) => PromiseLike<T>) =>
    run(async (tx) => {
      const isOurs = (await tx.$queryRawUnsafe<object[]>(TAKE, workspaceId, contactId)).length > 0;
      return isOurs ? { done: await work(tx) } : null;
    });
  for (const kind of KINDS)
    for (;;) {
      const found = await run((tx) =>
        tx.$queryRawUnsafe<{ id: bigint }[]>(
          kind.find,
          workspaceId,
          contactId,
          erasure[kind.through],
          MAX_FOUND,
        ),
      );
      if (found.length === 0) break;
      if (isLittle && found.length > kind.batch) return 'more';
      for (let at = 0; at < found.length; at += kind.batch) {
        if (batches++ === most) return 'more';
        const ids = found.slice(at, at + kind.batch).map(({ id }) => id);
        if ((await inBatch((tx) => kind.blank(tx, erasure, ids))) === null) return 'busy';
      }
    }
  for (const drain of DRAINS)
    for (let isMore = true; isMore; ) {
      if (batches++ === most) return 'more';
      const drained = await inBatch((tx) => drain(tx, erasure));
      if (drained === null)
        return (await run((tx) => findUndoneOf(tx, workspaceId, contactId))) === null ? 'done' : 'busy';
      isMore = drained.done;
      if (isMore && isLittle) return 'more';
    }
  const finished = [workspaceId, contactId, eventsThrough, entriesThrough, erasedAt];
  await run((tx) => tx.$executeRawUnsafe(FINISH, ...finished));
  return 'done';
}
