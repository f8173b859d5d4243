// A description has the type and nullability of each table column.
import { expect, test } from 'vitest';
import { ancestorsOf } from '../../src/resources/description/ancestors.ts';
import { isArchivable } from '../../src/resources/description/common-fields.ts';
import { decimalPlacesOf } from '../../src/resources/description/currencies.ts';
import { typeOf } from '../../src/resources/description/field-types.ts';
import type { Field } from '../../src/resources/description/fields.ts';
import { toSnakeCase } from '../../src/resources/description/names.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import type { NounTable } from '../../src/resources/nouns.ts';
import { isBlankedByErasure, PERSONAL_SINCE } from '../../src/store/sql/personal-data.ts';
import { tableNamed } from '../../src/store/tables/tables.ts';
import { sharedGateway } from '../support/gateway.ts';
import { RESOURCES } from '../support/resources.ts';

/** Columns that are in no description: only the store and the services use them. */
const NOT_SHOWN: Readonly<Record<string, readonly string[]>> = {
  teams: ['subdomain'],
  contact_tags: ['applied_at'],
  pages: ['discarded_at', 'discard_reason', 'is_shown'],
  funnel_steps: [
    'page_id',
    'removed_at',
    'removal_reason',
    // Generated, for keys.
    'parent_kind',
    'sibling_list',
  ],
  api_keys: ['token_hash'],
  // What is erased is found by it.
  audit_entries: ['contact_id'],
  events: ['contact_id', 'event_type', 'erased_at'],
  webhook_deliveries: ['event_type', 'attempts_before'],
  webhook_endpoints: [
    ...['secret', 'secret_changed_at', 'previous_secret', 'previous_secret_until'],
    ...['actor_kind', 'actor_id', 'client_id'],
  ],
  images: ['file_token', 'fetch_at', 'base_url'],
  order_line_items: ['returned_unsent', 'taken_quantity'],
  product_collections: ['added_ids'],
  users: ['name', 'password_hash', 'service_team_id', 'disabled_at', 'sessions_ended_at'],
  oauth_grants: ['key', 'payload', 'user_id', 'whole_team'],
};

/** Whichever table has it. */
const NOT_ALWAYS_SHOWN = ['row_version', 'workspace_id'];

/** Columns that can be null where clients never see null: a grant in a team's list has a team, and a user's texts are shown as empty. */
const NULL_ELSEWHERE = ['oauth_grants.teamId', 'users.email', 'users.firstName', 'users.lastName'];

interface Column {
  readonly type: string;
  readonly nullable: boolean;
}

const columnsOf = new Map<string, Map<string, Column>>();

const gateway = await sharedGateway();
const { rows } = await gateway.app.store.pool.query<Column & { table: string; name: string }>(
  `select table_name as "table", column_name as "name", udt_name as "type", is_nullable = 'YES' as "nullable"
   from information_schema.columns where table_schema = 'public'`,
);
for (const { table, name, type, nullable } of rows) {
  const columns = columnsOf.get(table) ?? new Map<string, Column>();
  columnsOf.set(table, columns.set(name, { type, nullable }));
}

/** Fields without a column of the same name: they have their own SQL. */
function computedOf({ table, fields }: Resource): string[] {
  const columns = tableNamed(table as NounTable)?.columns ?? {};
  return Object.keys(fields).filter((property) => {
    const column = columns[property];
    // Personal data has SQL that hides it, over a column of its own.
    if (fields[property]?.personal) return false;
    return typeof column === 'object' && column.sql !== undefined;
  });
}

/** Without a table: it is the same for everybody. */
const WITHOUT_TABLE = ['WebhookEventType'];
/** In the one answer that shows it, and the memberships of a team or a user, which are rows of another table. */
const WITHOUT_COLUMN = ['webhookSecret', 'clientSecret', 'token', 'memberships'];

test.each(RESOURCES.filter(({ type }) => !WITHOUT_TABLE.includes(type)))(
  '$type: each field is a column of the same type, null where that can be',
  (resource) => {
    const columns = columnsOf.get(resource.table);
    const computed = computedOf(resource);
    for (const [property, { type, nullable = false }] of Object.entries(resource.fields)) {
      if (computed.includes(property) || WITHOUT_COLUMN.includes(property)) continue;
      const column = columns?.get(toSnakeCase(property));
      const isNullable = column?.nullable && !NULL_ELSEWHERE.includes(`${resource.table}.${property}`);
      expect([property, typeOf(type).columns.includes(column?.type ?? ''), isNullable]).toEqual([
        property,
        true,
        nullable,
      ]);
    }
  },
);

test.each([...new Set(RESOURCES.map(({ table }) => table))])(
  '%s: each column is described, or listed as internal',
  (table) => {
    const described = RESOURCES.filter((resource) => resource.table === table).flatMap(({ fields }) =>
      Object.keys(fields).map(toSnakeCase),
    );
    const rest = [...(columnsOf.get(table)?.keys() ?? [])].filter((name) => !described.includes(name));
    const hidden = [...NOT_ALWAYS_SHOWN, PERSONAL_SINCE, ...(NOT_SHOWN[table] ?? [])];
    expect(rest.filter((name) => !hidden.includes(name))).toEqual([]);
  },
);

test('the column archived is generated from archived_at', async () => {
  const { rows } = await gateway.app.store.pool.query<{ table: string }>(
    `select table_name as "table" from information_schema.columns where table_schema = 'public'
      and column_name = 'archived' and generation_expression = '(archived_at IS NOT NULL)'`,
  );
  const generated = rows.map(({ table }) => table);
  const archivable = RESOURCES.filter(isArchivable).map(({ table }) => table);
  expect(archivable).not.toEqual([]);
  expect(archivable.filter((table) => !generated.includes(table))).toEqual([]);
});

test('a reference from a client has a foreign key within the workspace', async () => {
  const { rows } = await gateway.app.store.pool.query<{ name: string }>(
    `select conrelid::regclass || '.' || string_agg(attname, ',' order by place) as name
     from pg_constraint, unnest(conkey) with ordinality as k (attribute, place), pg_attribute
     where contype = 'f' and attrelid = conrelid and attnum = attribute group by pg_constraint.oid, conrelid`,
  );
  // A key may have more besides: the style of a theme is one of its own, a lesson of a section is one of the same course, the field
  // of an answer is one of the same form, and the stage of an opportunity is one of its pipeline.
  const keys = rows.map(({ name }) => name.replace(/,(?:id|course_id|form_id|pipeline_id),/, ','));
  const references = RESOURCES.flatMap(({ table, fields }) =>
    Object.entries<Field>(fields)
      .filter(([, { refers, writable, type }]) => refers && writable && !typeOf(type).isList)
      .map(([property]) => `${table}.workspace_id,${toSnakeCase(property)}`),
  );
  expect(references).not.toEqual([]);
  expect(references.filter((reference) => !keys.includes(reference))).toEqual([]);
});

test('ids from clients use `refers`, which is checked, and not `idsOf`, which is not', () => {
  const unchecked = RESOURCES.flatMap(({ type, fields }) =>
    Object.entries<Field>(fields)
      .filter(([, { idsOf, refers, writable }]) => idsOf && !refers && writable)
      .map(([property]) => `${type}.${property}`),
  );
  expect(unchecked).toEqual([
    // Its service compares them with what the product has (test/rest/products.test.ts).
    ...['Product.variantIds', 'Product.priceIds'],
    // Their service looks for them among the users of the team (test/rest/sales.test.ts, test/rest/blogs.test.ts).
    ...['Opportunity.assigneeId', 'OpportunityNote.createdById', 'BlogPost.authorIds'],
  ]);
});

test('the reference from personal data to its contact is not set to null when the contact is deleted', async () => {
  const { rows } = await gateway.app.store.pool.query<{ table: string }>(
    `select conrelid::regclass::text as "table" from pg_constraint
     where contype = 'f' and confrelid = 'contacts'::regclass and confdeltype in ('n', 'd')`,
  );
  const losing = rows.map(({ table }) => table);
  const personal = RESOURCES.filter(({ fields }) =>
    Object.values<Field>(fields).some((field) => field.personal),
  ).flatMap((resource) => [resource, ...ancestorsOf(resource)].map(({ table }) => table));
  expect(personal.filter((table) => losing.includes(table))).toEqual([]);
});

test('personal data has a column of its own, which an erasure can blank', async () => {
  const { rows } = await gateway.app.store.pool.query<{ name: string }>(
    `select attrelid::regclass || '.' || attname as name from pg_attribute where attnum > 0
       and (attgenerated <> '' or attnotnull and exists (
         select from pg_index where indrelid = attrelid and indisunique and attnum = any(indkey)))`,
  );
  const kept = rows.map(({ name }) => name);
  for (const resource of RESOURCES)
    for (const [property, { personal }] of Object.entries<Field>(resource.fields)) {
      const column = `${resource.table}.${toSnakeCase(property)}`;
      if (!personal) continue;
      const isColumn = columnsOf.get(resource.table)?.has(toSnakeCase(property));
      expect([column, isColumn, kept.includes(column)]).toEqual([column, true, false]);
    }
});

test('a row with personal data has the time since when it can contain any, from its creation on', async () => {
  const { rows } = await gateway.app.store.pool.query<{ table: string }>(
    `select table_name as "table" from information_schema.columns
     where table_schema = 'public' and column_name = $1 and column_default = 'clock_timestamp()' order by 1`,
    [PERSONAL_SINCE],
  );
  const blanked = RESOURCES.filter(isBlankedByErasure).map(({ table }) => table);
  expect(rows.map(({ table }) => table)).toEqual([...new Set(blanked)].toSorted());
});

test('an amount has a currency, or a field with one', () => {
  for (const { type, fields } of RESOURCES)
    for (const [property, { currency }] of Object.entries<Field>(fields)) {
      const isKnown =
        currency === undefined ||
        decimalPlacesOf(currency) !== undefined ||
        fields[currency]?.type === 'currency';
      expect([type, property, isKnown]).toEqual([type, property, true]);
    }
});
