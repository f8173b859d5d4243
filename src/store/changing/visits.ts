// Records visits to a page in one transaction with what follows from them: the page's hourly statistics, its unique visitors, and the first
// and last visits that contacts show. The transaction holds a lock for the page, so that each visit is counted once.
import { hash } from 'node:crypto';
import { toSnakeCase } from '../../resources/description/names.ts';
import { ORIGIN } from '../../resources/visits.ts';
import type { Executor } from '../connections/executor.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { executeUnrecorded } from './changes.ts';
import { type NewVisit, readUserAgents, visitJson } from './visit-json.ts';

export type { NewVisit };

/** The page. */
interface Place {
  readonly workspaceId: bigint;
  readonly pageId: bigint;
}

const LOCK = `select true from pg_advisory_xact_lock(hashtextextended('visits of page ' || $1, 0))`;

/** Erasures of the contacts wait until the visits are recorded, and the visits wait for erasures in progress. */
const LOCK_CONTACTS = `select true from contacts c where c.workspace_id = $1::bigint and c.id = any($2::bigint[])
  order by c.id for key share`;

/**
 * Looks up each uuid and each contact separately. For one list, PostgreSQL may choose an index by which it reads all visits of the page, or
 * all erasures of the workspace. `order by v.uuid` forces the primary key, because no other index has that order.
 */
const FIND_SEEN = `select clock_timestamp() as now, array(select u.uuid::text from unnest($3::uuid[]) u (uuid)
    where (select true from visits v where v.workspace_id = $1::bigint and v.page_id = $2::bigint and v.uuid >= u.uuid and v.uuid <= u.uuid
      and v.created_at > now() - interval '24 hours' order by v.uuid limit 1)) as seen,
  array(select u.id from unnest($4::bigint[]) u (id)
    where exists (select from contact_erasures x where x.workspace_id = $1::bigint and x.contact_id = u.id offset 0)) as erased`;

/** The column types of a visit's properties. */
const TYPES: Partial<Record<keyof NewVisit, string>> = {
  ...{ uuid: 'uuid', contactId: 'bigint', visitorId: 'text' },
  ...Object.fromEntries(Object.keys(ORIGIN).map((property) => [property, 'text'])),
  startedAt: 'timestamptz',
};
const COLUMNS = Object.entries(TYPES).map(([property, type]) => {
  return { property: property as keyof NewVisit, name: toSnakeCase(property), type };
});
const names = COLUMNS.map(({ name }) => name);

const VISITS = `insert into visits (workspace_id, page_id, created_at, ${names.join(', ')})
  select $1::bigint, $2::bigint, $3::timestamptz, ${names.map((name) => `v.${name}`).join(', ')}
  from json_to_recordset($4::json) as v (${COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')})`;

const VISITORS = `insert into page_visitors (workspace_id, page_id, visitor)
  select $1::bigint, $2::bigint, v.visitor from unnest($3::uuid[]) v (visitor) on conflict do nothing returning visitor::text`;

const HOURS = `insert into page_hours as h (workspace_id, page_id, hour, views_all, views_unique, optins)
  select $1::bigint, $2::bigint, u.hour, u.views_all, u.views_unique, u.optins
  from unnest($3::timestamptz[], $4::int[], $5::int[], $6::int[]) u (hour, views_all, views_unique, optins)
  on conflict (workspace_id, page_id, hour, currency) do update set views_all = h.views_all + excluded.views_all,
    views_unique = h.views_unique + excluded.views_unique, optins = h.optins + excluded.optins`;

const UPSERT_CONTACT_VISITS = `insert into contact_visits as c (workspace_id, contact_id, first_at, first_visit, last_at, last_visit, last_with_utm_at,
    last_visit_with_utm)
  select $1::bigint, u.* from unnest($2::bigint[], $3::timestamptz[], $4::json[], $5::timestamptz[], $6::json[], $7::timestamptz[],
    $8::json[]) u
  on conflict (workspace_id, contact_id) do update set
    first_at = least(c.first_at, excluded.first_at),
    first_visit = case when excluded.first_at < c.first_at then excluded.first_visit else c.first_visit end,
    last_at = greatest(c.last_at, excluded.last_at),
    last_visit = case when excluded.last_at >= c.last_at then excluded.last_visit else c.last_visit end,
    last_with_utm_at = greatest(c.last_with_utm_at, excluded.last_with_utm_at),
    last_visit_with_utm = case when excluded.last_with_utm_at >= coalesce(c.last_with_utm_at, '-infinity')
      then excluded.last_visit_with_utm else c.last_visit_with_utm end`;

/**
 * Records visits; skips those whose uuid the page has received in the last 24 hours. Records nothing if a visit refers to an erased
 * contact.
 * @param visits each uuid once
 * @returns the erased contacts among those of the visits
 * @throws the database's error when the page or a contact is gone; AppError as other changes do
 */
export async function recordVisits(
  ctx: StoreContext,
  tenancy: Tenancy,
  place: Place,
  visits: readonly NewVisit[],
): Promise<readonly bigint[]> {
  const { workspaceId, pageId } = place;
  const uuids = visits.map(({ uuid }) => uuid);
  const contactIds = [...new Set(visits.flatMap(({ contactId }) => contactId ?? []))];
  let erased: readonly bigint[] = [];
  // Only contacts show user agents. Parsed before anything is locked.
  await readUserAgents(visits.filter(({ contactId }) => contactId != null));
  await executeUnrecorded(
    ctx,
    { ...tenancy, workspaceIds: [workspaceId] },
    async (tx) => {
      if (contactIds.length > 0) void ask(tx, LOCK_CONTACTS, workspaceId, contactIds);
      void ask(tx, LOCK, pageId);
      const found = await findSeen(tx, place, uuids, contactIds);
      erased = found.erased;
      if (erased.length > 0) return tx.commit();
      const seen = new Set(found.seen);
      const fresh = visits.filter(({ uuid }) => !seen.has(uuid));
      if (fresh.length === 0) return tx.commit();
      const { writing } = await writeVisits(tx, place, fresh, found.now);
      await Promise.all([writing, tx.commit()]);
    },
    String(tenancy.teamId),
  );
  return erased;
}

/** Reads the time, and which uuids and contacts must not be written. @param uuids those of the visits @param contactIds their contacts */
export async function findSeen(
  tx: Executor,
  { workspaceId, pageId }: Place,
  uuids: readonly string[],
  contactIds: readonly bigint[],
): Promise<FoundVisits> {
  const [found] = await ask<FoundVisits>(tx, FIND_SEEN, workspaceId, pageId, uuids, contactIds);
  if (found === undefined) throw new TypeError('There was no answer');
  return found;
}

interface FoundVisits {
  readonly now: Date;
  /** Uuids that the page has received in the last 24 hours. */
  readonly seen: readonly string[];
  readonly erased: readonly bigint[];
}

/**
 * Writes visits that are new to the page, under its lock.
 * @returns the last statements, which were sent but are not awaited
 */
export async function writeVisits(
  tx: Executor,
  { workspaceId, pageId }: Place,
  visits: readonly NewVisit[],
  now: Date,
): Promise<{ readonly writing: Promise<unknown> }> {
  const inserting = ask(tx, VISITS, workspaceId, pageId, now, JSON.stringify(visits.map(toColumns)));
  const visitors = [...new Set(visits.map(visitorHash))];
  const added = await ask<{ visitor: string }>(tx, VISITORS, workspaceId, pageId, visitors);
  const inOrder = visits.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  const hours = countByHour(inOrder, new Set(added.map(({ visitor }) => visitor.replaceAll('-', ''))));
  const contacts = visitsByContact(inOrder, now);
  const writing = Promise.all([
    inserting,
    ask(tx, HOURS, workspaceId, pageId, ...transpose(hours, 4)),
    contacts.length > 0 && ask(tx, UPSERT_CONTACT_VISITS, workspaceId, ...transpose(contacts, 7)),
  ]);
  writing.catch(() => {});
  return { writing };
}

function ask<Row extends object>(tx: Executor, text: string, ...values: unknown[]): PromiseLike<Row[]> {
  return tx.$queryRawUnsafe<Row[]>(text, ...values);
}

function toColumns(visit: NewVisit): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const { property, name } of COLUMNS) {
    const value = visit[property];
    columns[name] = typeof value === 'bigint' ? String(value) : value;
  }
  return columns;
}

/** Identifies a visitor: the first 128 bits of a hash, as hexadecimal digits. */
function visitorHash({ contactId, visitorId }: NewVisit): string {
  return contactId == null ? nameHash(`visitor ${visitorId}`) : contactVisitorHash(contactId);
}

/** Identifies a contact as a visitor. */
export const contactVisitorHash = (contactId: bigint) => nameHash(`contact ${contactId}`);

const nameHash = (name: string) => hash('sha256', name).slice(0, 32);

/**
 * Counts visits, in their order, by hour: views, unique views, and unique views by contacts. @param added visitors who are new to the page
 */
function countByHour(visits: readonly NewVisit[], added: Set<string>): [Date, number, number, number][] {
  const hours = new Map<number, [Date, number, number, number]>();
  for (const visit of visits) {
    const at = new Date(visit.startedAt);
    at.setUTCMinutes(0, 0, 0);
    const hour = hours.get(at.getTime()) ?? [at, 0, 0, 0];
    hours.set(at.getTime(), hour);
    hour[1] += 1;
    if (!added.delete(visitorHash(visit))) continue;
    hour[2] += 1;
    if (visit.contactId != null) hour[3] += 1;
  }
  return [...hours.values()];
}

type ContactVisits = [bigint, Date, string, Date, string, Date | null, string | null];

/**
 * The first and last visits of each contact, from visits in their order. Sorted by contact id, so that concurrent transactions do not
 * deadlock.
 */
function visitsByContact(visits: readonly NewVisit[], now: Date): ContactVisits[] {
  // Memoized, because most contacts have one visit, which is both the first and the last.
  const texts = new Map<NewVisit, string>();
  const toJson = (visit: NewVisit): string => {
    const text = texts.get(visit) ?? visitJson(visit, now);
    texts.set(visit, text);
    return text;
  };
  const known = Map.groupBy(visits, ({ contactId }) => contactId ?? null);
  known.delete(null);
  return [...known]
    .toSorted(([a], [b]) => (Number(a) < Number(b) ? -1 : 1))
    .map(([contactId, own]): ContactVisits => {
      const [first, last] = [own[0] as NewVisit, own.at(-1) as NewVisit];
      const withUtm = own.findLast(hasUtm);
      const time = withUtm?.startedAt ?? null;
      const utm = withUtm === undefined ? null : toJson(withUtm);
      return [contactId as bigint, first.startedAt, toJson(first), last.startedAt, toJson(last), time, utm];
    });
}

function hasUtm({ utmSource, utmMedium, utmCampaign, utmTerm, utmContent }: NewVisit): boolean {
  return [utmSource, utmMedium, utmCampaign, utmTerm, utmContent].some((value) => value != null);
}

/** Transposes rows to columns. */
function transpose(rows: readonly (readonly unknown[])[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}
