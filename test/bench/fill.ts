// Fills a migrated, empty database by SQL alone. Every value follows from its row's number, so that two runs on two
// machines measure the same bytes.
import type pg from 'pg';
import { createToken } from '../../src/auth/tokens.ts';
import { COUNTRIES } from '../../src/store/seed/names.ts';
import type { Manifest } from './dataset.ts';
import type { Progress } from './progress.ts';
import { ordersOf, SHOP_TABLES, shopStatements } from './shop-rows.ts';

const TEAMS = 5;
const WORKSPACES = 200;
const FUNNELS_PER_WORKSPACE = 12;
const FILTERS_PER_WORKSPACE = 5;
export const TAGS_PER_WORKSPACE = 10;
const CONTACTS_ELSEWHERE = 20;
const CHUNK = 50_000;

/** A number below `below` that follows from `seed`, different for each `salt`. */
const pick = (seed: string, salt: number, below: string) =>
  `(abs(hashint8extended(${seed}::bigint, ${salt}) % ${below}))`;

/** Times are spread evenly from here over so long. */
export const FIRST_TIME = new Date('2023-01-01T00:00:00.000Z');
export const TIME_SPAN_MS = 94_608_000_000;
const TIME = (seed: string, salt: number) =>
  `timestamptz '${FIRST_TIME.toISOString()}' + ${pick(seed, salt, `${TIME_SPAN_MS}`)} * interval '1 millisecond'`;

const SMALL_TABLES = [
  `insert into teams (id, name, subdomain, created_at, updated_at)
    select i, 'Team ' || i, 'team-' || i, ${TIME('i', 1)}, ${TIME('i', 2)}
    from generate_series(1, ${TEAMS}) i`,
  // The first team owns the first workspaces, so that its key reaches a fifth of them.
  `insert into workspaces (id, team_id, name, subdomain, created_at, updated_at)
    select i, 1 + (i - 1) / ${WORKSPACES / TEAMS}, 'Workspace ' || i, 'workspace-' || i,
      ${TIME('i', 1)}, ${TIME('i', 2)}
    from generate_series(1, ${WORKSPACES}) i`,
  `insert into tags (id, workspace_id, name, color)
    select i, 1 + (i - 1) / ${TAGS_PER_WORKSPACE},
      (array['Customer', 'Lead', 'VIP', 'Newsletter', 'Webinar “Spring”', 'Churned', 'Trial', 'Refund', 'Beta', 'Partner'])
        [1 + (i - 1) % ${TAGS_PER_WORKSPACE}],
      '#' || lpad(to_hex(${pick('i', 3, '16777216')}), 6, '0')
    from generate_series(1, ${WORKSPACES * TAGS_PER_WORKSPACE}) i`,
  `insert into refine_filters (id, workspace_id, name, criteria)
    select i, 1 + (i - 1) / ${FILTERS_PER_WORKSPACE}, 'Filter ' || i,
      jsonb_build_array(jsonb_build_object('attribute', 'email_address', 'clause', 'sw', 'value', 'a'))
    from generate_series(1, ${WORKSPACES * FILTERS_PER_WORKSPACE}) i`,
  `insert into funnels (id, workspace_id, name, current_path, live_mode, created_at, updated_at)
    select i, 1 + (i - 1) / ${FUNNELS_PER_WORKSPACE}, 'Funnel ' || i, '/funnel-' || i, i % 2 = 0,
      ${TIME('i', 1)}, ${TIME('i', 2)}
    from generate_series(1, ${WORKSPACES * FUNNELS_PER_WORKSPACE}) i`,
];

/**
 * The workflow of every funnel, a line a step: number, parent's number, branch, position. A line without page is a split.
 * Two splits, one on a branch of the other.
 */
const WORKFLOW = `(values
  (1, null, null, 0, 'Opt-in'), (2, null, null, 1, 'Sales'), (3, null, null, 2, null),
  (4, 3, 'matched', 0, 'Upsell'), (5, 3, 'matched', 1, null),
  (6, 5, 'matched', 0, 'Premium offer'), (7, 5, 'unmatched', 0, 'Standard offer'),
  (8, 3, 'unmatched', 0, 'Downsell'), (9, 3, 'unmatched', 1, 'Last chance'),
  (10, null, null, 3, 'Order form'), (11, null, null, 4, 'Thank you')
) as w (step, parent, branch, position, page)`;
/** Step n of funnel f has the id (f - 1) * 11 + n. */
export const STEPS_PER_FUNNEL = 11;

/** Pages and steps of the funnels `f` that a condition chooses. */
export const insertWorkflows = (condition: string) => [
  `insert into pages (id, workspace_id, name, current_path)
    select s.id, f.workspace_id, w.page, '/page-' || s.id
    from funnels f cross join ${WORKFLOW}
      cross join lateral (select (f.id - 1) * ${STEPS_PER_FUNNEL} + w.step as id) s
    where w.page is not null and ${condition}`,
  `insert into funnel_steps
      (id, workspace_id, funnel_id, kind, parent_id, branch, position, name, page_id, filter_id)
    select s.id, f.workspace_id, f.id,
      (case when w.page is null then 'conditional_split' else 'page' end)::step_kind,
      (f.id - 1) * ${STEPS_PER_FUNNEL} + w.parent, w.branch::branch, w.position, coalesce(w.page, 'Is a customer?'),
      case when w.page is not null then s.id end,
      case when w.page is null then 1 + (f.workspace_id - 1) * ${FILTERS_PER_WORKSPACE} end
    from funnels f cross join ${WORKFLOW}
      cross join lateral (select (f.id - 1) * ${STEPS_PER_FUNNEL} + w.step as id) s
    where ${condition}
    order by s.id`,
];

/** Contacts $1 to $2 by id, all of one workspace unless `workspace` says otherwise. $3 and $4 are names, $5 time zones. */
const contacts = (workspace: string) => `
  insert into contacts (id, workspace_id, uuid, anonymous, email_address, first_name, last_name, phone_number,
    time_zone, unsubscribed_at, last_notification_email_sent_at, email_suppression_reason, fb_url, twitter_url,
    instagram_url, linkedin_url, website_url, custom_attributes, created_at, updated_at)
  select i, ${workspace}, md5(i::text)::uuid, i % 25 = 0,
    case when i % 25 <> 0 then lower(plain) || '.' || i || '@example.com' end,
    case when i % 25 <> 0 then first_name end, case when i % 25 <> 0 then last_name end,
    case when i % 3 = 0 then '+1415555' || lpad((i % 10000)::text, 4, '0') end,
    case when i % 2 = 0 then ($5::text[])[1 + ${pick('i', 6, 'cardinality($5::text[])')}] end,
    case when i % 20 = 0 then ${TIME('i', 7)} end,
    case when i % 4 = 0 then ${TIME('i', 8)} end,
    case when i % 50 = 0 then 'bounce' end,
    case when i % 10 = 0 then 'https://facebook.example/' || i end,
    case when i % 10 = 1 then 'https://twitter.example/' || i end,
    case when i % 10 = 2 then 'https://instagram.example/' || i end,
    case when i % 10 = 3 then 'https://linkedin.example/in/' || i end,
    case when i % 5 = 0 then 'https://www.example.com/~' || i end,
    case when i % 3 = 0 then jsonb_build_object('plan', 'pro', 'company_name', 'Company “' || i % 997 || '”')
      else '{}' end,
    ${TIME('i', 9)}, ${TIME('i', 10)}
  from (
    select i, ($3::text[])[1 + ${pick('i', 4, 'cardinality($3::text[])')}] as first_name,
      ($4::text[])[1 + ${pick('i', 5, 'cardinality($4::text[])')}] as last_name,
      (array['emma', 'liam', 'olivia', 'noah', 'ava', 'ethan', 'sophia', 'mason'])[1 + ${pick('i', 4, '8')}] as plain
    from generate_series($1::bigint, $2::bigint) i
  ) people`;

/** Half of the contacts have no tag, the others one or two. */
const CONTACT_TAGS = `
  insert into contact_tags (workspace_id, contact_id, tag_id, applied_at)
  select c.workspace_id, c.id, (c.workspace_id - 1) * ${TAGS_PER_WORKSPACE} + tag, ${TIME('c.id', 11)}
  from contacts c
    cross join lateral (values (1 + c.id % 5, c.id % 2 = 0), (6 + c.id % 4, c.id % 6 = 0)) as applied (tag, yes)
  where c.id between $1::bigint and $2::bigint and yes`;

/** Fills the database; about a minute for a million contacts. */
export async function fill(pool: pg.Pool, rows: number, progress: Progress): Promise<Manifest> {
  const client = await pool.connect();
  try {
    // The rows are right by construction: a trigger a row would only take time. Other constraints hold as ever.
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '256MB'");
    for (const statement of [...SMALL_TABLES, ...insertWorkflows('true')]) await client.query(statement);
    const elsewhere = (WORKSPACES - 1) * CONTACTS_ELSEWHERE;
    const names = [
      listOf('firstNames'),
      listOf('lastNames'),
      COUNTRIES.flatMap(({ timeZones }) => timeZones),
    ];
    for (let done = 0; done < rows; done += CHUNK) {
      progress.bar('contacts', done, rows);
      const range = [done + 1, Math.min(done + CHUNK, rows)];
      await client.query(contacts('1'), [...range, ...names]);
      await client.query(CONTACT_TAGS, range);
    }
    const range = [rows + 1, rows + elsewhere];
    await client.query(contacts(`2 + (i - ${rows + 1}) / ${CONTACTS_ELSEWHERE}`), [...range, ...names]);
    await client.query(CONTACT_TAGS, range);
    for (const statement of shopStatements(rows)) await client.query(statement);
    progress.say('Vacuum, analyze');
    const token = await insertKey(client);
    await setSequences(client);
    await client.query('vacuum analyze');
    await client.query('checkpoint');
    const workspaceIds = Array.from({ length: WORKSPACES / TEAMS }, (_, index) => index + 1);
    const orders = ordersOf(rows);
    return { rows, orders, teamId: 1, workspaceIds, workspaceId: 1, firstContactId: 1, token };
  } finally {
    client.release(true);
  }
}

function listOf(names: 'firstNames' | 'lastNames'): string[] {
  return COUNTRIES.flatMap((country) => country[names].split(' ').map((name) => name.split('/')[0] ?? name));
}

async function insertKey(client: pg.ClientBase): Promise<string> {
  const { token, hash, hint } = createToken();
  await client.query(
    `insert into api_keys (id, team_id, name, token_hash, hint, scopes)
      values (1, 1, 'Bench', $1, $2, '{read,write}')`,
    [hash, hint],
  );
  return token;
}

async function setSequences(client: pg.ClientBase): Promise<void> {
  for (const table of [
    'teams',
    'workspaces',
    'contacts',
    'tags',
    'refine_filters',
    'funnels',
    'pages',
    'funnel_steps',
    'api_keys',
    ...SHOP_TABLES,
  ]) {
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 1) from ${table}))`,
    );
  }
}
