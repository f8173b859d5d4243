// Finds the changes in a database, and their requests: triggers record the transaction of every written row.
import type pg from 'pg';

interface Change {
  /** The id of the request that made the change; null without an audit entry. */
  readonly requestId: string | null;
  /** The changed tables, and the kind of change. */
  readonly change: string;
}

export interface ChangeLog {
  /** Deletes the recorded changes. */
  clear(): Promise<void>;
  /** Changes of transactions that, by the gateway's own audit, belong to none of these requests. */
  changesBeside(requestIds: ReadonlySet<string>): Promise<Change[]>;
}

/** Tables without audit entries: the last use of a key, and rows outside workspaces. */
const UNWATCHED = /^(api_keys|oauth_|sign_in_failures|signing_keys|_prisma_migrations|erasures)/;

/** In place of a request's id: the later blanking by an erasure. */
const BLANKING = 'blanking';
/** Visits alone, and what is counted of them. */
const VISITS = /^(?:, |(?:INSERT|UPDATE) (?:visits|contact_visits|page_visitors|page_hours))+$/;

/**
 * A change that contains no request's id: the only trace of a request with an idempotency key that changes nothing, and visits, which have no
 * audit entries.
 */
const isUnnamed = ({ change }: Change) => change === 'INSERT idempotency_records' || VISITS.test(change);

/** Creates the triggers. @param pool of a user who may do so */
export async function createChangeLog(pool: Pick<pg.Pool, 'query'>): Promise<ChangeLog> {
  await pool.query(`
    create schema change_log;
    create unlogged table change_log.changes (xid xid8, tbl text, op text, request_id text);
    create function change_log.note() returns trigger language plpgsql security definer as $$
    declare written jsonb := to_jsonb(coalesce(new, old));
    begin
      insert into change_log.changes values (pg_current_xact_id(), tg_argv[0], tg_op, case
        when tg_op = 'UPDATE' and coalesce(written ->> 'done_at', written ->> 'erased_at') is not null
          and (tg_argv[0] <> 'contact_erasures' or written ->> 'done_at' is not null) then '${BLANKING}'
        -- The rows of an erased contact are blanked or deleted without a caller, and so are rows that are too old; every change of a caller's
        -- names the team.
        when tg_op || ' ' || tg_argv[0] in ('UPDATE orders', 'UPDATE order_transactions', 'UPDATE order_restocks', 'UPDATE fulfillments',
            'UPDATE form_submissions', 'UPDATE form_submission_answers', 'UPDATE appointments', 'UPDATE opportunities', 'UPDATE opportunity_notes',
            'DELETE course_enrollments', 'DELETE course_lesson_completions', 'DELETE email_broadcast_recipients', 'DELETE webhook_deliveries', 'DELETE webhook_attempts',
            'DELETE deleted_pages')
          and coalesce(current_setting('funnel_gateway.team', true), '') = '' then '${BLANKING}'
        when tg_argv[0] = 'audit_entries' then written ->> 'request_id' end);
      return null;
    end $$`);
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  for (const { name } of rows) {
    if (UNWATCHED.test(name)) continue;
    await pool.query(
      `create trigger change_log after insert or update or delete on "${name}" for each row execute function change_log.note('${name}')`,
    );
  }
  return {
    async clear() {
      await pool.query('truncate change_log.changes');
    },
    async changesBeside(requestIds) {
      const { rows: found } = await pool.query<Change>(
        `select max(request_id) as "requestId", string_agg(op || ' ' || tbl, ', ') as change
          from change_log.changes group by xid
          having not coalesce(bool_or(request_id = any ($1)), false) order by xid`,
        [[BLANKING, ...requestIds]],
      );
      const { rows: named } = await pool.query<{ id: string }>(
        'select distinct request_id as id from change_log.changes where request_id = any ($1)',
        [[...requestIds]],
      );
      const unnamed = found.filter(isUnnamed);
      return unnamed.length <= requestIds.size - named.length
        ? found.filter((one) => !isUnnamed(one))
        : found;
    },
  };
}
