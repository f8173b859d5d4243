// A contact is erased with very many queued deliveries, orders and visits, and a page is deleted with as many visitors.
// `npm run trial -- erasure [deliveries [orders [visits]]]`; 300,000, 60,000 and 1,500,000 by default. The answers come within two seconds,
// from then on nothing personal is shown or sent, within five minutes nothing is left in the store, although the gateway is killed in the
// middle of it, and another team's list by `updated_at` is never more than 500 ms behind its own changes.
import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createReceiver } from '../support/webhook-receiver.ts';
import { serve } from './faults/gateway.ts';
import type { Caller } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { createCallers } from './faults/tenants.ts';
import { say } from './say.ts';
import { quantile, report } from './test-bed.ts';

const DELIVERIES = Number(process.argv[3] ?? 300_000);
const ORDERS = Number(process.argv[4] ?? 60_000);
const VISITS = Number(process.argv[5] ?? 1_500_000);
const ENDPOINTS = 98;
const MAX_ANSWER_MS = 2_000;
const MAX_BLANK_MS = 300_000;
const MAX_BEHIND_MS = 500;
/** The gateway is killed when so much of what was to be blanked is. */
const KILL_AT = 0.4;
/** What was being sent when the answer came arrives within this time. */
const IN_FLIGHT_MS = 1_000;
/** Stands in everything that is personal. */
const MARKER = 'Conspicuous';

const postgres = await startPostgres();
const receiver = await createReceiver();
const arrivals: number[] = [];
receiver.answer = ({ body }) => {
  if (body.includes(MARKER)) arrivals.push(performance.now());
  return { status: 500, body: `Who is ${MARKER}?` };
};
const [victims, others] = (await createCallers(postgres.url, 2)) as [Caller, Caller];
const db = new pg.Client({ connectionString: postgres.url });
await db.connect();
const gateway = await serve({ DATABASE_URL: postgres.url });
const load = () => loadavg()[0]?.toFixed(1) ?? '';
let isOver = false;
try {
  const { id } = await call<{ id: number }>(victims, 'POST', `/workspaces/${victims.workspaceId}/contacts`, {
    email_address: `${MARKER}@example.com`,
    first_name: MARKER,
  });
  const seeded = await queue(id);
  await order(id);
  const pageId = await visit(id);
  await db.query('analyze');
  const toBlank = await left(seeded);
  say(`${JSON.stringify(toBlank)} of one contact to blank; load ${load()}`);

  // A gateway that has served for a while has loaded what it needs.
  await eraseAnother();
  const behind = watchLists();
  while (behind.lags.length < 10) await sleep(100);
  const before = quantile(behind.lags, 1);
  const askedAt = performance.now();
  await call(victims, 'DELETE', `/contacts/${id}/gdpr_destroy`);
  const answeredAt = performance.now();
  const answerMs = Math.round(answeredAt - askedAt);
  report(`erased after ${answerMs} ms (at most ${MAX_ANSWER_MS}); load ${load()}`, answerMs <= MAX_ANSWER_MS);
  report('reads behind the answer show nothing personal', !(await isShown()));

  let killedAt: number | null = null;
  for (;;) {
    const now = await left(seeded);
    const share = 1 - now.orders / toBlank.orders;
    if (Object.values(now).every((count) => count === 0)) break;
    if (performance.now() - answeredAt > 3 * MAX_BLANK_MS) {
      report(`there is something left: ${JSON.stringify(now)}`, false);
      break;
    }
    if (killedAt === null && share >= KILL_AT) {
      await gateway.end('SIGKILL');
      killedAt = share;
      await gateway.restart();
      report('reads after the restart show nothing personal', !(await isShown()));
    }
    await sleep(1_000);
  }
  const blankMs = Math.round(performance.now() - answeredAt);
  report(`killed when ${Math.round((killedAt ?? 0) * 100)} % was blanked`, killedAt !== null);
  report(
    `nothing personal left after ${blankMs} ms (at most ${MAX_BLANK_MS}); load ${load()}`,
    blankMs <= MAX_BLANK_MS,
  );

  const removedAt = performance.now();
  await call(victims, 'DELETE', `/pages/${pageId}`);
  const removeMs = Math.round(performance.now() - removedAt);
  report(
    `a page with ${VISITS} visitors deleted after ${removeMs} ms (at most ${MAX_ANSWER_MS})`,
    removeMs <= MAX_ANSWER_MS,
  );

  isOver = true;
  await behind.done;
  const worst = quantile(behind.lags, 1);
  report(
    `another team's list by updated_at: ${behind.lags.length} changes, at most ${worst} ms behind (${MAX_BEHIND_MS} allowed), p99 ${quantile(behind.lags, 0.99)} ms; before the erasure at most ${before} ms`,
    worst <= MAX_BEHIND_MS,
  );
  const late = arrivals.filter((at) => at > answeredAt + IN_FLIGHT_MS).length;
  const inFlight = arrivals.filter((at) => at > answeredAt).length - late;
  report(
    `${arrivals.length} deliveries of the contact arrived before the answer, ${inFlight} within a second, ${late} later`,
    late === 0,
  );
} finally {
  isOver = true;
  await gateway.end('SIGTERM');
  await receiver.close();
  await db.end();
  await postgres.remove();
}

async function call<T>(caller: Caller, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${gateway.origin}/api/v2${path}`, {
    method,
    headers: { Authorization: caller.authorization, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return (text === '' ? null : JSON.parse(text)) as T;
}

async function eraseAnother(): Promise<void> {
  const contacts = `/workspaces/${others.workspaceId}/contacts`;
  const { id } = await call<{ id: number }>(others, 'POST', contacts, { first_name: 'Another' });
  await call(others, 'DELETE', `/contacts/${id}/gdpr_destroy`);
}

interface Seeded {
  readonly contactId: number;
  readonly lastEvent: string;
}

/** Endpoints whose receiver fails, events, and a delivery of each for each of them, one of ten attempted before; as many audit entries. */
async function queue(contactId: number): Promise<Seeded> {
  const { workspaceId } = victims;
  const events = Math.ceil(DELIVERIES / ENDPOINTS);
  await db.query(
    `insert into webhook_endpoints (workspace_id, url, name, event_type_ids, secret, secret_changed_at)
      select workspace_id, $2, 'endpoint ' || n, '{}', secret, secret_changed_at from webhook_endpoints, generate_series(2, $3::int) n where workspace_id = $1`,
    [workspaceId, receiver.url, ENDPOINTS],
  );
  const data = JSON.stringify({ first_name: MARKER, custom_attributes: { about: MARKER.repeat(40) } });
  await db.query(
    `insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)
      select $1, 'contact.updated', 'Contact', $2, $2, $3::json from generate_series(1, $4::int)`,
    [workspaceId, contactId, data, events],
  );
  await db.query(
    `insert into audit_entries (workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, request_id, before, after)
      select $1, 'contact.updated', 'Contact', $2, $2, 'api_key', 'x', 'y', $3::json, $3::json from generate_series(1, $4::int)`,
    [workspaceId, contactId, data, events],
  );
  await db.query(
    `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)
      select v.workspace_id, e.id, v.id, v.event_type from events v join webhook_endpoints e using (workspace_id)
      where v.workspace_id = $1 and v.contact_id = $2 and v.event_type = 'contact.updated' order by v.id`,
    [workspaceId, contactId],
  );
  await db.query(
    `insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, url, request_headers, response_code, response_start)
      select workspace_id, id, 1, current_timestamp, 1, 'https://a.example', '{}', 500, $2 from webhook_deliveries
      where workspace_id = $1 and id % 10 = 0`,
    [workspaceId, MARKER],
  );
  const { rows } = await db.query<{ id: string }>('select max(id) as id from events');
  return { contactId, lastEvent: rows[0]?.id ?? '0' };
}

/** Orders of the contact, with a transaction each. */
async function order(contactId: number): Promise<void> {
  await db.query(
    `with made as (
      insert into orders (workspace_id, contact_id, order_number, order_type, live_mode, billing_status, service_status, currency,
        total_amount, tax_amount, notes, shipping_address_first_name, shipping_address_city)
      select $1, $2, n, 'one-time-order', true, 'paid', 'active', 'EUR', 1, 0, $3, $3, $3 from generate_series(1, $4::int) n
      returning workspace_id, id
    ) insert into order_transactions (workspace_id, order_id, amount, currency, result, status, reason)
      select workspace_id, id, 1, 'EUR', 'approved', 'completed', $3 from made`,
    [victims.workspaceId, contactId, MARKER, ORDERS],
  );
}

/** Visits of the contact to a page, which as many others have visited. */
async function visit(contactId: number): Promise<number> {
  const { id } = await call<{ id: number }>(victims, 'POST', `/workspaces/${victims.workspaceId}/pages`, {
    name: 'Visited',
  });
  await db.query(
    `insert into visits (workspace_id, page_id, uuid, contact_id, ip, user_agent, started_at, created_at)
      select $1, $2, gen_random_uuid(), $3, $4, $4, u.at, u.at
      from (select current_timestamp - n % 89 * interval '1 day' as at from generate_series(1, $5::int) n) u`,
    [victims.workspaceId, id, contactId, MARKER, VISITS],
  );
  await db.query(
    `insert into page_visitors (workspace_id, page_id, visitor)
      select $1, $2, gen_random_uuid() from generate_series(1, $3::int)`,
    [victims.workspaceId, id, VISITS],
  );
  return id;
}

/** What is left of the contact. */
async function left({ contactId, lastEvent }: Seeded) {
  const { rows } = await db.query<
    Record<'events' | 'entries' | 'deliveries' | 'answers' | 'orders' | 'visits', number>
  >(
    `select
      (select count(notes)::int from orders where workspace_id = $1) + (select count(reason)::int from order_transactions where workspace_id = $1) as orders,
      (select count(*)::int from visits where workspace_id = $1 and contact_id = $2) as visits,
      (select count(*)::int from contacts where id = $2 and first_name is not null) as rows,
      (select count(*)::int from events where workspace_id = $1 and contact_id = $2 and id <= $3 and data is not null) as events,
      (select count(*)::int from audit_entries where workspace_id = $1 and contact_id = $2 and action <> 'contact.erased'
        and (before is not null or after is not null)) as entries,
      (select count(*)::int from webhook_deliveries d where workspace_id = $1 and event_id <= $3 and status = 'pending') as deliveries,
      (select count(*)::int from webhook_attempts a where workspace_id = $1 and response_start like '%' || $4 || '%' and exists (
        select from webhook_deliveries d where d.workspace_id = $1 and d.id = a.delivery_id and d.event_id <= $3)) as answers`,
    [victims.workspaceId, contactId, lastEvent, MARKER],
  );
  const [found] = rows;
  if (found === undefined) throw new TypeError('Nothing was counted');
  return found;
}

/** Whether a reader sees something of the person, at the ends of lists and in the attempts of a delivery. */
async function isShown(): Promise<boolean> {
  const { workspaceId } = victims;
  const texts: string[] = [];
  for (const order of ['asc', 'desc'])
    for (const list of ['webhooks/outgoing/events', 'audit_entries'])
      texts.push(
        JSON.stringify(
          await call(victims, 'GET', `/workspaces/${workspaceId}/${list}?sort_order=${order}&per_page=100`),
        ),
      );
  const { rows } = await db.query<{ id: string }>(
    `select delivery_id as id from webhook_attempts where workspace_id = $1 order by delivery_id desc limit 5`,
    [workspaceId],
  );
  for (const order of ['asc', 'desc'])
    texts.push(
      JSON.stringify(
        await call(victims, 'GET', `/workspaces/${workspaceId}/orders?sort_order=${order}&per_page=100`),
      ),
    );
  for (const { id } of rows)
    texts.push(JSON.stringify(await call(victims, 'GET', `/webhooks/outgoing/deliveries/${id}`)));
  return texts.some((text) => text.includes(MARKER));
}

/**
 * Another team changes contacts, and asks each time until its list by `updated_at` has the change: how long after the change the list was
 * asked for that had it first. What a restart cuts off does not count.
 */
function watchLists() {
  const lags: number[] = [];
  async function once(): Promise<void> {
    const contacts = `/workspaces/${others.workspaceId}/contacts`;
    const { id } = await call<{ id: number }>(others, 'POST', contacts, { first_name: 'Another' });
    const since = performance.now();
    for (;;) {
      const sentAt = performance.now();
      const [last] = await call<{ id: number }[]>(
        others,
        'GET',
        `${contacts}?sort_property=updated_at&sort_order=desc&per_page=1`,
      );
      if (last?.id === id) {
        lags.push(sentAt - since);
        return;
      }
      await sleep(5);
    }
  }
  async function watch(): Promise<void> {
    while (!isOver) {
      await once().catch(() => sleep(100));
      await sleep(20);
    }
  }
  return { lags, done: watch() };
}
