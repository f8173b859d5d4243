// The migrated store: it equals `prisma/schema`, and it refuses invalid rows whatever the code above it does.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartupError } from '../../src/errors.ts';
import { RESERVED } from '../../src/services/accounts/subdomains.ts';
import { completeMigration, createMigration } from '../../src/store/migrations/create.ts';
import { asAdministrator, cloneTemplate } from '../support/gateway.ts';
import { ROWS, step } from '../support/store-rows.ts';

const database = await cloneTemplate();
const db = new pg.Pool({ connectionString: database.url });
afterAll(async () => {
  await db.end();
  await database.drop();
});

describe('creating', () => {
  test('finds nothing to do: the migrations lead to prisma/schema, and their own additions are no drift', async () => {
    expect(
      await createMigration(db, 'nothing', { administratorUrl: asAdministrator(database.url) }),
    ).toBeNull();
  });

  test('adds to the tables of nouns what Prisma cannot express, and leaves others unchanged', () => {
    const made = (table: string) =>
      `CREATE TABLE "${table}" (\n    "id" BIGINT NOT NULL,\n    "public_id" TEXT NOT NULL,\n\n    CONSTRAINT "x" PRIMARY KEY ("id")\n);\n`;
    const completed = completeMigration(`${made('others')}\n${made('tags')}`);
    expect(completed.startsWith(made('others'))).toBe(true);
    const said = completed.slice(made('others').length);
    for (const part of [
      'CREATE SEQUENCE tags_id_seq;',
      '"public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(4, id)) STORED,',
      'ALTER SEQUENCE tags_id_seq OWNED BY tags.id;',
      "call open_to_tenants('tags', 'select, insert, update, delete');",
      "call list_by_time('tags', 4);",
    ])
      expect(said).toContain(part);
  });

  test.each(['BOOLEAN NOT NULL', 'BOOLEAN NOT NULL DEFAULT false', 'BOOLEAN'])(
    'generates the column archived of a noun that can be archived (%s), and of no other',
    (column) => {
      const made = (table: string) =>
        `CREATE TABLE "${table}" (\n    "archived_at" TIMESTAMPTZ(3),\n    "archived" ${column},\n\n    CONSTRAINT "x" PRIMARY KEY ("id")\n);\n`;
      const added = (table: string) =>
        `ALTER TABLE "${table}" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),\nADD COLUMN     "archived" ${column};\n`;
      const generated = 'BOOLEAN NOT NULL GENERATED ALWAYS AS (archived_at is not null) STORED';
      expect(completeMigration(made('products'))).toContain(`    "archived" ${generated},\n`);
      expect(completeMigration(added('products'))).toBe(
        `ALTER TABLE "products" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),\nADD COLUMN     "archived" ${generated};\n`,
      );
      expect(completeMigration(made('tags'))).toContain(`    "archived" ${column},\n`);
      expect(completeMigration(added('tags'))).toBe(added('tags'));
    },
  );

  test('refuses a name that is not a file name', async () => {
    await expect(createMigration(db, '../x')).rejects.toThrow(StartupError);
  });
});

describe('the store', () => {
  let client: pg.PoolClient;

  beforeAll(async () => {
    client = await db.connect();
    await client.query(ROWS);
  });
  afterAll(() => client.release());

  /** The code and the constraint that a statement (and its transaction's end) fails with; null when it does not. */
  async function refusal(sql: string): Promise<[string | undefined, string | undefined] | null> {
    await client.query('begin');
    try {
      await client.query(sql);
      await client.query('set constraints all immediate');
      return null;
    } catch (error) {
      if (error instanceof pg.DatabaseError) return [error.code, error.constraint];
      throw error;
    } finally {
      await client.query('rollback');
    }
  }

  test.each(REFUSED())('refuses %s (%s)', async (_what, constraint, sql, code = '23514') => {
    expect(await refusal(sql)).toEqual([code, constraint]);
  });

  test.each(Object.entries(ACCEPTED))('accepts %s', async (_what, sql) => {
    expect(await refusal(sql)).toBeNull();
  });

  test('of a team and a workspace that claim one subdomain at the same time, one gets it', async () => {
    const others = [1, 2].map(() => new pg.Client(db.options));
    const [one, two] = others;
    await Promise.all(others.map((other) => other.connect()));
    await one?.query("begin; update teams set subdomain = 'contested' where id = 1");
    const second = two
      ?.query("update workspaces set subdomain = 'contested' where id = 1")
      .catch((error) => error);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await db.query(waiting)).rowCount).toBe(1);
    await one?.query('commit');
    expect(await second).toMatchObject({ code: '23505', constraint: 'subdomain_is_free' });
    await Promise.all(others.map((other) => other.end()));
  });
});

/** What, the constraint's name, the statement, and the SQLSTATE if it is not that of a check. */
type Refused = [what: string, constraint: string | undefined, sql: string, code?: string];

/** Statements that a constraint refuses. */
function refused(
  constraint: string | undefined,
  code: string | undefined,
  sql: Record<string, string>,
): Refused[] {
  return Object.entries(sql).map(([what, text]) =>
    code === undefined ? [what, constraint, text] : [what, constraint, text, code],
  );
}

function REFUSED(): Refused[] {
  const tables = [
    'teams',
    'workspaces',
    'contacts',
    'tags',
    'refine_filters',
    'webhook_endpoints',
    'funnels',
    'pages',
  ];
  const withId = [...tables, 'funnel_steps', 'api_keys'];
  const set = (table: string, column: string, ...values: string[]): Refused[] =>
    values.map((value) => [
      `${table}.${column} = ${value.slice(0, 40)}`,
      `${table}_${column}_check`,
      `update ${table} set ${column} = ${value} where id = 1`,
    ]);
  return [
    ...withId.map(
      (table): Refused => [
        `${table}.public_id is written`,
        undefined,
        `update ${table} set public_id = 'AbCdEf' where id = 1`,
        '428C9',
      ],
    ),
    ...withId.flatMap((table): Refused[] =>
      [0, -1].map((id) => [
        `${table}.id = ${id}`,
        undefined,
        `update ${table} set id = ${id} where id = ${table === 'teams' ? 2 : 1}`,
        '23502',
      ]),
    ),
    ...withId
      .filter((table) => table !== 'contacts')
      .flatMap((table) => set(table, 'name', "''", "E' \\t\\n'")),
    ...set(
      'teams',
      'subdomain',
      "''",
      "'Upper'",
      "'-a'",
      "'a-'",
      "'a.b'",
      "'a_b'",
      "repeat('a', 64)",
      "E'a\\n'",
    ),
    ...set('workspaces', 'subdomain', "''", "'Upper'", "'a b'"),
    ...set('teams', 'locale', "'de'", "'EN'"),
    ...set(
      'custom_domains',
      'host',
      "'Shop.example.com'",
      "'example.com.'",
      "'a..b'",
      "'-a.example'",
      "'a.example:80'",
    ),
    ...set('custom_domains', 'host', "'localhost'", "repeat('a.', 126) || 'abc'"),
    ...set('contacts', 'email_address', "''", "'a'", "'a@'", "'@b'", "'a b@c'"),
    ...set('contacts', 'custom_attributes', "'[]'", "'null'", `'"text"'`),
    ...set('tags', 'color', "'red'", "'#12345'", "'#1234567'", "'#12345g'"),
    ...set('refine_filters', 'conjunction', "'xor'", "'AND'"),
    ...set('refine_filters', 'criteria', "'{}'", "'null'"),
    ...set('webhook_endpoints', 'url', "'ftp://a'", "'https://'", "'https://a b'", "'//a'"),
    ...set('webhook_endpoints', 'api_version', '0', '3'),
    ...set(
      'webhook_endpoints',
      'event_type_ids',
      "'{contact}'",
      "'{.created}'",
      "'{a.}'",
      "'{a.b,NULL}'",
      "'{a b.c}'",
    ),
    ...set('webhook_endpoints', 'page_ids', "'{1,NULL}'"),
    ...set('webhook_endpoints', 'funnel_ids', "'{NULL}'"),
    ...set('funnel_steps', 'position', '-1'),
    ...set('api_keys', 'token_hash', "'\\x00'"),
    ...set(
      'api_keys',
      'scopes',
      "'{}'",
      "'{admin}'",
      "'{contacts:delete}'",
      "'{read,NULL}'",
      "'{contacts:}'",
    ),
    ...set('api_keys', 'expires_at', 'created_at'),
    ...refused(undefined, '23502', {
      'no list of events': 'update webhook_endpoints set event_type_ids = null',
      'no list of scopes': 'update api_keys set scopes = null',
    }),
    ...refused('pages_discarded_with_reason', undefined, {
      'a discarded page without a reason': 'update pages set discarded_at = now()',
    }),
    ...refused('funnel_steps_removed_with_reason', undefined, {
      'a removed step without a reason': 'update funnel_steps set removed_at = now() where id = 1',
    }),
    ...refused('contacts_workspace_id_email_address_key', '23505', {
      'an e-mail address twice in a workspace':
        "insert into contacts (workspace_id, email_address) values (1, 'ann@example.COM')",
      'the same with white space around it': String.raw`insert into contacts (workspace_id, email_address) values (1, E'\t ann@example.com\u00a0\n')`,
    }),
    ...refused('api_keys_one_default', '23505', {
      'a second default key': 'update api_keys set is_default = true where id = 2',
    }),
    ...refused('subdomain_is_free', '23505', {
      "a team with a workspace's subdomain": "update teams set subdomain = 'one' where id = 2",
      "a workspace with a team's subdomain": "update workspaces set subdomain = 'team' where id = 1",
    }),
    ...["email = 'a@b'", "password_hash = 'x'", 'disabled_at = now()', 'sessions_ended_at = now()'].map(
      (set): Refused => [
        `a service user with ${set}`,
        'users_person_or_service',
        `update users set ${set} where service_team_id = 1`,
      ],
    ),
    ...['email', 'password_hash'].map(
      (column): Refused => [
        `a person without ${column}`,
        'users_person_or_service',
        `update users set ${column} = null where id = 50`,
      ],
    ),
    ...refused('users_locale_check', undefined, {
      'a language that is none': "update users set locale = 'de' where id = 50",
    }),
    ...refused('users_service_team_id_key', '23505', {
      'a second service user of a team': "insert into users (service_team_id, name) values (1, 'x')",
    }),
    ...refused('service_user_is_for_life', undefined, {
      'a person who becomes a service user':
        'update users set service_team_id = 1, email = null, password_hash = null where id = 50',
      "another team's service user": 'update users set service_team_id = null where service_team_id = 2',
    }),
    ...refused('user_is_person', undefined, {
      'a service user in a team':
        'insert into team_members (user_id, team_id) select id, 1 from users where service_team_id = 1',
      "a service user's grant":
        'update oauth_grants set user_id = (select id from users where service_team_id = 1)',
    }),
    ...refused('teams_name_length', undefined, {
      'a long name of a team': "update teams set name = repeat('x', 101) where id = 1",
    }),
    ...refused('workspaces_name_length', undefined, {
      'a long name of a workspace': "update workspaces set name = repeat('x', 101) where id = 1",
    }),
    ...RESERVED.map(
      (label): Refused => [
        `the subdomain ${label}`,
        'subdomain_is_allowed',
        `update workspaces set subdomain = '${label}' where id = 1`,
      ],
    ),
    ...refused('subdomain_is_allowed', undefined, {
      'a team whose subdomain has hyphens with a meaning':
        "update teams set subdomain = 'xn--bcher-kva' where id = 1",
    }),
    ...['127.0.0.1', 'a.b.12', 'a.0x1f'].map(
      (host): Refused => [
        `the address ${host} as a domain`,
        'custom_domains_host_no_address',
        `update custom_domains set host = '${host}'`,
      ],
    ),
    ...refused('funnel_steps_parent_fkey', '23503', {
      'a step below a page': step("(1, 1, 'page', 1, 'matched', 0, 'x', 3)"),
      'a step moved below a page': 'update funnel_steps set parent_id = 1 where id = 3',
      'a step below one that is not there': step("(1, 1, 'page', 9, 'matched', 0, 'x', 3)"),
      "a step below another funnel's split": step("(1, 2, 'page', 2, 'matched', 0, 'x', 3)"),
      "a step below another workspace's split": step("(2, 3, 'page', 2, 'matched', 0, 'x', 4)"),
      'a split with steps below it that becomes a page':
        "update funnel_steps set kind = 'page', page_id = 3 where id = 2",
    }),
    ...refused('funnel_steps_workspace_id_funnel_id_fkey', '23503', {
      "a step of another workspace's funnel": step("(2, 1, 'page', null, null, 0, 'x', 4)"),
    }),
    ...refused('funnel_steps_workspace_id_page_id_fkey', '23503', {
      "a step with another workspace's page": step("(1, 1, 'page', null, null, 2, 'x', 4)"),
    }),
    ...refused('funnels_workspace_id_custom_domain_id_fkey', '23503', {
      "a funnel on another workspace's domain": 'update funnels set custom_domain_id = 1 where id = 3',
    }),
    ...refused('contact_tags_workspace_id_contact_id_fkey', '23503', {
      "another workspace's tag on a contact":
        'insert into contact_tags (workspace_id, contact_id, tag_id) values (2, 1, 1)',
    }),
    ...refused('contacts_workspace_id_uuid_key', '23505', {
      'a UUID twice in a workspace':
        "insert into contacts (workspace_id, uuid) values (1, '11111111-1111-4111-8111-111111111111')",
    }),
    ...refused('refine_filters_workspace_id_name_key', '23505', {
      'a name of two saved filters in a workspace':
        "insert into refine_filters (id, workspace_id, name) values (9, 1, 'Filter')",
    }),
    ...refused('funnels_workspace_id_current_path_key', '23505', {
      'a path of two funnels in a workspace': "update funnels set current_path = '/b' where id = 1",
    }),
    ...refused('funnel_steps_not_own_parent', undefined, {
      'a step that is its own parent':
        "update funnel_steps set parent_id = 2, branch = 'matched' where id = 2",
    }),
    ...refused('funnel_steps_branch_of_parent', undefined, {
      'a child without a branch': 'update funnel_steps set branch = null where id = 3',
      'a branch without a parent': "update funnel_steps set branch = 'matched' where id = 1",
    }),
    ...refused('funnel_steps_page_of_page_step', undefined, {
      'a page step without a page': 'update funnel_steps set page_id = null where id = 1',
      'a split with a page': 'update funnel_steps set page_id = 3 where id = 2',
    }),
    ...refused('funnel_steps_filter_of_split', undefined, {
      'a filter on a page step': 'update funnel_steps set filter_id = 1 where id = 1',
    }),
    ...refused('funnel_steps_one_step_of_page', '23505', {
      'a page in two steps': step("(1, 1, 'page', null, null, 2, 'x', 1)"),
    }),
    ...refused('funnel_steps_sibling_position', '23505', {
      'two first steps': 'update funnel_steps set position = 0 where id = 2',
      'two first steps of a branch': step("(1, 1, 'page', 2, 'matched', 0, 'x', 3)"),
    }),
  ];
}

const ACCEPTED: Readonly<Record<string, string>> = {
  'siblings that change places': 'update funnel_steps set position = 1 - position where parent_id is null',
  'the same position on the other branch': step("(1, 1, 'page', 2, 'unmatched', 0, 'x', 3)"),
  'steps of one statement in any order, children first': `insert into funnel_steps (id, workspace_id, funnel_id, kind, parent_id, branch, position, name, page_id) values
        (51, 1, 2, 'page', 50, 'unmatched', 0, 'x', 3), (50, 1, 2, 'conditional_split', null, null, 0, 'x', null)`,
  'the place and the page of a removed step': `update funnel_steps set removed_at = now(), removal_reason = 'x' where id = 1;
      ${step("(1, 1, 'page', null, null, 0, 'x', 1)")}`,
  'a filter on a split': 'update funnel_steps set filter_id = 1 where id = 2',
  'a default key after the old one was revoked': `update api_keys set revoked_at = now() where id = 1;
      update api_keys set is_default = true where id = 2`,
  'one e-mail address in two workspaces':
    "insert into contacts (workspace_id, email_address) values (2, 'ann@example.com')",
  'an e-mail address with white space around it, and one of letters that stand for white space elsewhere': `insert into contacts (workspace_id, email_address) values (1, ' bob@example.com '), (1, 'vann@example.com')`,
  'contacts without an e-mail address': 'insert into contacts (workspace_id) values (1), (1)',
  'a subdomain kept, and one given up and taken': `update teams set subdomain = 'team', name = 'x' where id = 1;
      update teams set subdomain = null where id = 1; update workspaces set subdomain = 'team' where id = 1`,
  'hosts and subdomains as long as they may be': `update custom_domains set host = repeat('a.', 125) || 'abc';
      update teams set subdomain = repeat('a', 63) where id = 1`,
  'event types of every form':
    "update webhook_endpoints set event_type_ids = '{contact.identified,one-time_order.completed,courses/enrollment.lesson.v2}'",
  'scopes of every form': "update api_keys set scopes = '{read,write,contacts:read,some_thing:write}'",
  'the end of a service user with its team': 'delete from teams where id = 2',
  'a discarded page with its reason': "update pages set discarded_at = now(), discard_reason = 'x'",
  'an address in any script': "update contacts set email_address = 'é@例え.jp' where id = 1",
};
