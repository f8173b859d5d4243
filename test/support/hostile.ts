// Hostile texts and numbers for the inputs of the gateway, and checks of what no answer to them may contain.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { expect, inject } from 'vitest';
import type { App } from '../../src/context.ts';
import { encodeCursor } from '../../src/cursors.ts';
import { ancestorsOf } from '../../src/resources/description/ancestors.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import type { Gateway } from './gateway.ts';
import { NODE_TYPES } from './schema-operations.ts';

const MAX = 2n ** 63n;

/** Integers about the limits of 64 bits and of floating point, as JSON and GraphQL write them. */
const BEYOND: readonly string[] = [MAX - 1n, MAX, -MAX - 1n, 2n ** 64n]
  .map(String)
  .concat('1e400', '9'.repeat(1_000));

/** These integers, and integers about other limits. */
export const NUMBERS: readonly string[] = [
  ...[0n, -1n, 2n ** 31n - 1n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 53n + 1n].map(String),
  '-1e400',
  '1.5',
  ...BEYOND,
];

const UNREADABLE = [
  '\0',
  'a\0b',
  'acme\0',
  '\ud800',
  '\udfff',
  'acme\udbff',
  '\udc00\ud800',
  '\uffff',
  '\ufeff',
  '\u202e',
];

const WORDS = [
  '',
  ' ',
  '%00',
  '\\u0000',
  "'; select 1 --",
  '\u2028',
  'x'.repeat(1_000),
  '\u{1f600}',
  '__proto__',
];

const typeNames = NODE_TYPES.map(({ name }) => name);

/** Global ids of every type, with valid and invalid ids. */
const GLOBAL_IDS = typeNames.flatMap((name) =>
  ['0', String(MAX - 1n), String(MAX), '-1', '1\0', '9'.repeat(400)].map((id) => btoa(`${name}:${id}`)),
);

/** Valid cursors into lists of a kind, and invalid ones. */
export function cursorsOf(kind: string): string[] {
  return [0n, MAX - 1n, MAX, 2n ** 64n, -1n].map((id) => encodeCursor(kind, id));
}

/** Texts for any place that takes one. */
export const TEXTS: readonly string[] = [...UNREADABLE, ...WORDS, ...BEYOND];

/** Texts for a place that takes a global id. */
export const IDS: readonly string[] = [...TEXTS, ...GLOBAL_IDS];

/** The log lines about internal errors. */
export function breakages({ logLines }: Pick<Gateway, 'logLines'>): string[] {
  return logLines.filter((line) => /"level":"(error|fatal)"|"stack"/.test(line));
}

/** The tables that requests of the API change, and the tables of their records. */
export const CHANGEABLE: readonly string[] = [
  ...NOUNS.filter((noun) => ancestorsOf(noun).some(({ type }) => type === 'Workspace')).map(
    ({ table }) => table,
  ),
  'idempotency_records',
];

/** A connection for the digests of each app: with one, their statements are planned once. */
const readers = new WeakMap<App, Promise<pg.Client>>();

function readerOf(app: App): Promise<pg.Client> {
  const known = readers.get(app);
  if (known !== undefined) return known;
  const { connectionString } = app.store.connection;
  // Planning takes many times as long as executing, and the plan has to do when the tables have grown. Citus has no generic plan for these.
  const isDistributed = inject('workerUrls').length > 0;
  const plans = isDistributed ? 'force_custom_plan' : 'force_generic_plan -c enable_seqscan=off';
  const client = new pg.Client({ connectionString, options: `-c plan_cache_mode=${plans}` });
  // The database is dropped with its gateway.
  client.on('error', () => {});
  const made = client.connect().then(() => client);
  readers.set(app, made);
  return made;
}

const statements = new Map<string, Promise<string>>();

/** The statement for a digest of each of the tables. @param isOfTeam only of rows of the workspaces of the team in its parameter */
async function statementFor(
  reader: pg.Client,
  tables: readonly string[] | undefined,
  isOfTeam: boolean,
): Promise<string> {
  const { rows } = await reader.query<{ name: string; notesUse: boolean }>(
    `select relname as name, exists (select from pg_attribute where attrelid = c.oid and attname = 'last_used_at') as "notesUse"
      from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and ($1::text[] is null or relname = any ($1)) order by relname`,
    [tables],
  );
  const of = isOfTeam ? 'where workspace_id = any (array(select id from workspaces where team_id = $1))' : '';
  return rows
    .map(({ name, notesUse }) => {
      const row = notesUse ? "(to_jsonb(t) - 'last_used_at')::text" : 't::text';
      return `select '${name}' as name, concat_ws(' ', count(*), sum(hashtextextended(${row}, 0))) as digest from "${name}" t ${of}`;
    })
    .join(' union all ');
}

/**
 * A digest of every row of every table, or of the given tables, without the time at which keys were last used.
 * @param teamId only rows of this team's workspaces; the tables must have rows of workspaces only
 */
export async function digest(
  { app }: Gateway,
  tables?: readonly string[],
  teamId?: bigint,
): Promise<Record<string, unknown>> {
  const reader = await readerOf(app);
  const isOfTeam = teamId !== undefined;
  const key = `${tables} ${isOfTeam}`;
  const making = (tables && statements.get(key)) ?? statementFor(reader, tables, isOfTeam);
  statements.set(key, making);
  const text = await making;
  const found = await reader.query<{ name: string; digest: string }>({
    name: `digest_${createHash('md5').update(text).digest('hex')}`,
    text,
    values: isOfTeam ? [teamId] : [],
  });
  const digests = Object.fromEntries(found.rows.map(({ name, digest }) => [name, digest]));
  expect(Object.keys(digests)).toContain('contacts');
  return digests;
}

/** At most this many at once. */
export async function all<T>(
  inputs: readonly T[],
  work: (input: T) => Promise<unknown>,
  atOnce = 16,
): Promise<void> {
  const rest = inputs.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const input of rest) await work(input);
    }),
  );
}
