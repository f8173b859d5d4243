// The client's side of a trial of faults: every request with its answer, and whether the store agrees with it afterwards. A change
// carries its request id into its audit entry, so that each answer is held to what was really done.
import type pg from 'pg';

/** What a client may believe of a change after its answer. */
type Outcome = 'made' | 'not made' | 'unknown';

export interface Entry {
  readonly requestId: string;
  readonly caller: string;
  readonly face: 'rest' | 'graphql';
  /** The action of the audit entry that it makes, such as `contact.created`; null: it reads. */
  readonly action: string | null;
  /** Of performance.now(). */
  readonly sentAt: number;
  readonly ms: number;
  /** 0: the connection ended, or there was no answer for a long time. */
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
  /** The integer id of what was created. */
  readonly createdId: string | null;
}

/** What an answer says of a change. */
export function outcomeOf({ status, text }: Pick<Entry, 'status' | 'text'>): Outcome {
  if (status >= 200 && status < 300) return text.includes('"errors":[{"message"') ? 'not made' : 'made';
  // Where no connection was made, nothing was sent.
  const isUnknown = status === 0 && !text.includes('ECONNREFUSED');
  return isUnknown || text.includes('may have been made') ? 'unknown' : 'not made';
}

/** An answer that no client should get of these requests, whatever befalls the gateway. */
export function isWrong({ status, text }: Entry): boolean {
  // A field of a GraphQL answer is refused as REST refuses with 429: the rest of the answer stands, its status is 200.
  if (status === 0 || status === 429 || status === 503 || text.includes('"code":"TOO_MANY_REQUESTS"'))
    return false;
  return status >= 300 || text.includes('"errors":[{"message"');
}

export interface Verdict {
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  /** Of the unknown ones, those that were made. */
  readonly unknownButMade: number;
  /** What must not be; each is empty when all is well. */
  readonly findings: Readonly<Record<'lost' | 'twice' | 'not told' | 'half', readonly string[]>>;
}

/** Every change has all of its record: the row's version, its event, the event's deliveries, and the answer for a retry. */
const HALVES = {
  'contacts whose version is not the number of their changes': `
    select c.id from contacts c join lateral (
      select count(*) filter (where action = 'contact.created') as created, count(*) filter (where action = 'contact.updated') as updated,
          count(*) filter (where action = 'contact.deleted') as deleted
        from audit_entries a where a.workspace_id = c.workspace_id and a.subject_type = 'Contact' and a.subject_id = c.id
          and a.request_id like $1) n on true
      where exists (select from audit_entries a where a.workspace_id = c.workspace_id and a.subject_id = c.id and a.request_id like $1)
        and (n.created <> 1 or n.deleted <> 0 or c.row_version <> 1 + n.updated)`,
  'contacts that are gone without an entry': `
    select a.subject_id as id from audit_entries a where a.action = 'contact.created' and a.request_id like $1
      and not exists (select from contacts c where c.workspace_id = a.workspace_id and c.id = a.subject_id)
      and not exists (select from audit_entries d where d.workspace_id = a.workspace_id and d.subject_id = a.subject_id and d.action = 'contact.deleted')`,
  'changes without their event, or events without their change': `
    select subject_id as id from (
      select workspace_id, action as type, subject_id, 1 as n from audit_entries where request_id like $1
      union all select e.workspace_id, e.event_type, e.subject_id, -1 from events e where e.event_type <> 'contact.identified' and exists (
        select from audit_entries a where a.workspace_id = e.workspace_id and a.subject_id = e.subject_id and a.request_id like $1)
    ) both_sides group by workspace_id, type, subject_id having sum(n) <> 0`,
  'events without their delivery': `
    select e.id from events e join webhook_endpoints w on w.workspace_id = e.workspace_id
      join audit_entries a on a.workspace_id = e.workspace_id and a.subject_id = e.subject_id and a.action = e.event_type and a.request_id like $1
      where (select count(*) from webhook_deliveries d where d.workspace_id = e.workspace_id and d.event_id = e.id and d.endpoint_id = w.id) <> 1`,
  'changes without the record of their idempotency key': `
    select a.id from audit_entries a where a.request_id like $1 and (select count(*) from idempotency_records i
      where i.workspace_id = a.workspace_id and i.audit_entry_id = a.id) <> 1`,
  'idempotency records without their change': `
    select i.audit_entry_id as id from idempotency_records i
      where not exists (select from audit_entries a where a.workspace_id = i.workspace_id and a.id = i.audit_entry_id)`,
} as const;

/**
 * Compares what clients were answered with what the store holds. Every write of the ledger had an idempotency key of its own.
 * @param run what the request ids of the ledger begin with
 */
export async function judgeLedger(
  pool: Pick<pg.Pool, 'query'>,
  run: string,
  entries: readonly Entry[],
): Promise<Verdict> {
  const { rows } = await pool.query<{ request_id: string; action: string; subject_id: string }>(
    'select request_id, action, subject_id::text from audit_entries where request_id like $1',
    [`${run}-%`],
  );
  const made = Map.groupBy(rows, ({ request_id }) => request_id);
  const findings = {
    lost: [] as string[],
    twice: [] as string[],
    'not told': [] as string[],
    half: [] as string[],
  };
  const count = { made: 0, 'not made': 0, unknown: 0 };
  let unknownButMade = 0;
  for (const entry of entries) {
    if (entry.action === null) continue;
    const outcome = outcomeOf(entry);
    count[outcome]++;
    const found = made.get(entry.requestId) ?? [];
    const [first] = found;
    const name = `${entry.requestId} ${entry.face} ${entry.action} ${entry.status} ${entry.text.slice(0, 200)}`;
    if (found.length > 1) findings.twice.push(name);
    const isAsTold =
      first?.action === entry.action && (entry.createdId === null || first.subject_id === entry.createdId);
    if (outcome === 'made' && !isAsTold) findings.lost.push(name);
    if (outcome === 'not made' && first !== undefined) findings['not told'].push(name);
    if (outcome === 'unknown' && first !== undefined) unknownButMade++;
  }
  const known = new Set(entries.map(({ requestId }) => requestId));
  for (const id of made.keys()) if (!known.has(id)) findings['not told'].push(`${id} was never sent`);
  for (const [what, text] of Object.entries(HALVES)) {
    const values = text.includes('$1') ? [`${run}-%`] : [];
    const { rowCount } = await pool.query(text, values);
    if (rowCount !== 0) findings.half.push(`${rowCount} ${what}`);
  }
  const { made: acknowledged, 'not made': refused, unknown } = count;
  return { acknowledged, refused, unknown, unknownButMade, findings };
}
