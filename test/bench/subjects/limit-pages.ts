// The pages that the limit serves, byte by byte what the gateway's REST face and the bench's GraphQL document give.
import type pg from 'pg';

type Way = 'json' | 'rows';
type Row = (string | null)[];

/** Runs one statement, over whatever connections. */
export type Query = (config: pg.QueryArrayConfig) => Promise<{ readonly rows: Row[] }>;

/** Text as PostgreSQL sends it: nothing is parsed. */
const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** Rows of one named prepared statement, every value as text. */
export async function rowsOf(query: Query, name: string, text: string, values: unknown[]): Promise<Row[]> {
  return (await query({ name, text, values, rowMode: 'array', types: AS_TEXT })).rows;
}

/** A timestamp as JSON wants it, in SQL. */
const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const ACTIVE =
  '(t.email_address is not null and t.unsubscribed_at is null and t.email_suppression_reason is null)';

/** A contact's tags as JSON text without spaces. */
const TAGS = `coalesce((select '[' || string_agg('{"id":' || g.id || ',"public_id":"' || g.public_id || '","name":' ||
    to_json(g.name) || ',"color":"' || g.color || '","applied_at":"' || ${time('a.applied_at')} || '"}', ',' order by g.id)
  || ']' from contact_tags a join tags g on g.workspace_id = a.workspace_id and g.id = a.tag_id
    where a.workspace_id = t.workspace_id and a.contact_id = t.id), '[]')`;

/** What a contact without visits shows. */
export const NO_VISITS = `'{"first_visit":null,"last_visit":null,"last_visit_with_utm":null}'`;

/** A contact's visits as JSON text without spaces. */
const VISITS = `coalesce((select '{"first_visit":' || v.first_visit || ',"last_visit":' || v.last_visit || ',"last_visit_with_utm":' ||
    coalesce(v.last_visit_with_utm::text, 'null') || '}'
  from contact_visits v where v.workspace_id = t.workspace_id and v.contact_id = t.id), ${NO_VISITS})`;

const FROM = 'from contacts t where t.workspace_id = $1 and t.id > $2 order by t.id limit $3';

/** PostgreSQL writes jsonb with spaces; its parts have none. */
const ATTRIBUTES = `case when t.custom_attributes = '{}' then '{}'::json else (
    select ('{' || string_agg(to_json(key)::text || ':' || value, ',') || '}')::json
    from jsonb_each(t.custom_attributes) as pairs (key, value)) end`;

/** The columns of a contact `t`, so that a row of them as JSON is REST's contact. */
export const shownColumns = (tags: string, attributes: string, visits: string) => `
    t.id, t.public_id, t.workspace_id, t.uuid, t.anonymous::int as anonymous, t.email_address, t.first_name,
    t.last_name, t.phone_number, t.time_zone, ${time('t.unsubscribed_at')} as unsubscribed_at,
    ${time('t.last_notification_email_sent_at')} as last_notification_email_sent_at, t.email_suppression_reason,
    ${ACTIVE} as is_active, t.fb_url, t.twitter_url, t.instagram_url, t.linkedin_url, t.website_url,
    ${time('t.created_at')} as created_at, ${time('t.updated_at')} as updated_at, ${tags}::json as tags,
    ${attributes}::json as custom_attributes, ${visits}::json as visits`;

const REST_JSON = `
  select '[' || coalesce(string_agg(row_to_json(page)::text, ',' order by id), '') || ']', max(id)
  from (select ${shownColumns(TAGS, `(${ATTRIBUTES})`, VISITS)} ${FROM}) page`;

/** The page of REST as rows; $1 is the workspace, $2 the position, $3 the most rows. */
export const REST_ROWS = `
  select t.id, t.public_id, t.workspace_id, t.uuid, t.anonymous, t.email_address, t.first_name, t.last_name,
    t.phone_number, t.time_zone, t.unsubscribed_at, t.last_notification_email_sent_at, t.email_suppression_reason,
    ${ACTIVE}, t.fb_url, t.twitter_url, t.instagram_url, t.linkedin_url, t.website_url, t.created_at, t.updated_at,
    ${TAGS}, t.custom_attributes, ${VISITS}
  ${FROM}`;

/** A page of the REST face, with the last contact's id. */
export function restPage(query: Query, way: Way) {
  if (way === 'json') {
    return async (workspaceId: string, after: string, size: number) => {
      const [row] = await rowsOf(query, 'rest', REST_JSON, [workspaceId, after, size]);
      return { body: row?.[0] ?? '[]', lastId: row?.[1] ?? after };
    };
  }
  return async (workspaceId: string, after: string, size: number) => {
    const rows = await rowsOf(query, 'rest', REST_ROWS, [workspaceId, after, size]);
    let body = '[';
    for (const row of rows) body += (body.length > 1 ? ',' : '') + restContact(row);
    return { body: `${body}]`, lastId: rows.at(-1)?.[0] ?? after };
  };
}

function restContact(c: Row): string {
  return (
    `{"id":${c[0]},"public_id":"${c[1]}","workspace_id":${c[2]},"uuid":"${c[3]}","anonymous":${c[4] === 't' ? 1 : 0}` +
    `,"email_address":${string(c[5])},"first_name":${string(c[6])},"last_name":${string(c[7])}` +
    `,"phone_number":${string(c[8])},"time_zone":${string(c[9])},"unsubscribed_at":${timestamp(c[10])}` +
    `,"last_notification_email_sent_at":${timestamp(c[11])},"email_suppression_reason":${string(c[12])}` +
    `,"is_active":${c[13] === 't'},"fb_url":${string(c[14])},"twitter_url":${string(c[15])}` +
    `,"instagram_url":${string(c[16])},"linkedin_url":${string(c[17])},"website_url":${string(c[18])}` +
    `,"created_at":${timestamp(c[19])},"updated_at":${timestamp(c[20])},"tags":${c[21]}` +
    `,"custom_attributes":${c[22] === '{}' ? '{}' : JSON.stringify(JSON.parse(c[22] ?? '{}'))},"visits":${c[23]}}`
  );
}

function string(text: string | null | undefined): string {
  return text == null ? 'null' : JSON.stringify(text);
}

/** "2024-05-06 07:08:09.12+00" as JSON text in ISO 8601 with milliseconds. The session's time zone is UTC. */
function timestamp(text: string | null | undefined): string {
  if (text == null) return 'null';
  const fraction = text.length > 22 ? text.slice(19, -3).padEnd(4, '0') : '.000';
  return `"${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z"`;
}

const PAGE_SIZE = 20;

/** The page of the connection as rows, with the same parameters. */
export const GRAPHQL_ROWS = `
  select t.id, t.public_id, t.email_address, t.first_name, t.last_name, t.phone_number, t.time_zone, t.created_at,
    t.updated_at
  ${FROM}`;

const GRAPHQL_JSON = `
  select '{"data":{"workspace":{"contacts":{"edges":[' ||
      coalesce(string_agg('{"cursor":"' || cursor || '","node":' || row_to_json(node) || '}', ',' order by "databaseId")
        filter (where place <= ${PAGE_SIZE}), '') ||
      '],"pageInfo":{"hasNextPage":' || (count(*) > ${PAGE_SIZE}) || ',"endCursor":' ||
      coalesce(to_json((array_agg(cursor order by "databaseId") filter (where place <= ${PAGE_SIZE}))[least(count(*), ${PAGE_SIZE})])::text, 'null') ||
      '}}}}}'
  from (
    select row_number() over (order by t.id) as place, t.id as "databaseId", ${unpadded('contacts')} as cursor, n as node
    from (select * ${FROM}) t
      cross join lateral (select ${padded('Contact')} as "id", t.id as "databaseId", t.public_id as "publicId",
        t.email_address as "emailAddress", t.first_name as "firstName", t.last_name as "lastName",
        t.phone_number as "phoneNumber", t.time_zone as "timeZone", ${time('t.created_at')} as "createdAt",
        ${time('t.updated_at')} as "updatedAt") n
  ) page`;

/** Global ids are base64, cursors base64url; of this ASCII neither needs a letter that they write differently. */
function padded(kind: string): string {
  return `encode(convert_to('${kind}:' || t.id, 'UTF8'), 'base64')`;
}

function unpadded(kind: string): string {
  return `rtrim(${padded(kind)}, '=')`;
}

/** The answer to the bench's connection document: 20 contacts with edges, cursors, node ids and pageInfo. */
export function graphqlPage(query: Query, way: Way) {
  const afterOf = (cursor: string | null) =>
    cursor === null ? '0' : Buffer.from(cursor, 'base64url').toString('latin1').slice('contacts:'.length);
  if (way === 'json') {
    return async (workspace: number, cursor: string | null) => {
      const [row] = await rowsOf(query, 'graphql', GRAPHQL_JSON, [workspace, afterOf(cursor), PAGE_SIZE + 1]);
      return row?.[0] ?? '';
    };
  }
  return async (workspace: number, cursor: string | null) => {
    const rows = await rowsOf(query, 'graphql', GRAPHQL_ROWS, [workspace, afterOf(cursor), PAGE_SIZE + 1]);
    const more = rows.length > PAGE_SIZE;
    if (more) rows.pop();
    let edges = '';
    let last: string | null = null;
    for (const row of rows) {
      last = Buffer.from(`contacts:${row[0]}`, 'latin1').toString('base64url');
      edges += `${edges === '' ? '' : ','}{"cursor":"${last}","node":${graphqlContact(row)}}`;
    }
    return `{"data":{"workspace":{"contacts":{"edges":[${edges}],"pageInfo":{"hasNextPage":${more},"endCursor":${string(last)}}}}}}`;
  };
}

function graphqlContact(c: Row): string {
  return (
    `{"id":"${Buffer.from(`Contact:${c[0]}`, 'latin1').toString('base64')}","databaseId":${c[0]},"publicId":"${c[1]}","emailAddress":${string(c[2])}` +
    `,"firstName":${string(c[3])},"lastName":${string(c[4])},"phoneNumber":${string(c[5])}` +
    `,"timeZone":${string(c[6])},"createdAt":${timestamp(c[7])},"updatedAt":${timestamp(c[8])}}`
  );
}
