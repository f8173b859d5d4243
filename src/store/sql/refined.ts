// The SQL of saved filters: checked criteria become one condition over a row `t`, with every value as a parameter. Its text depends on
// attributes and clauses, never on values.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Provided } from '../../pagination.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Sort } from '../../resources/description/sorts.ts';
import type { RefineAttribute } from '../../resources/refine-attributes.ts';
import type { Match, PairMatch } from './matches.ts';
import { type NamedStatement, numbered, ROW_WORKSPACE, type Values } from './statements.ts';

/** The test that a value of an attribute must pass. */
export type RefineTest =
  /** One of these. */
  | { readonly kind: 'equal'; readonly values: readonly (string | bigint | boolean)[] }
  /** Text that begins with this. */
  | { readonly kind: 'prefix'; readonly value: string }
  /** A time or an amount within these limits. */
  | {
      readonly kind: 'limits';
      readonly limits: readonly (readonly [operator: '>' | '>=' | '<' | '<=', value: string])[];
    }
  /** Anything but null. */
  | { readonly kind: 'set' };

/** A checked criterion. */
export interface RefineCriterion {
  readonly attribute: RefineAttribute;
  readonly test: RefineTest;
  /** Whether it matches the objects that do not pass the test, including those without a value. */
  readonly isNegated: boolean;
}

/** A checked saved filter. */
export interface RefineCriteria {
  readonly conjunction: 'and' | 'or';
  readonly criteria: readonly RefineCriterion[];
}

/** How the list compares its properties. Attributes are compared the same way. */
type Matches = Readonly<Record<string, Match | undefined>>;

/** A part of a condition: its SQL, and the values of its parameters by their names. */
export interface Condition {
  readonly values: Values;
  readonly sql: string;
  /** The same condition over the SQL of a row's id; absent: the row is needed. */
  onId?(id: string): string;
  /** The matching rows by index; null: no index finds them. */
  readonly source: Source | null;
}

/** The ids of all rows that match, from ranges of indexes. */
export interface Source {
  /** Their SQL: the column `id`, and the other columns of the reading. */
  ids(reading: Reading): string;
  /** If set, more ids than this are not all of them. */
  readonly most?: number;
  /** The number of index ranges. */
  readonly ranges: number;
  /** Whether an id may occur more than once, in several ranges or in one. */
  readonly hasRepeats: boolean;
  /** Whether the ranges are of the list's own rows, so that the reading returns all columns that it requests. */
  readonly isOfRows: boolean;
  /** Whether the indexes also contain the times of the rows' changes. */
  readonly hasTimes: boolean;
  /** The list orders in which each range can be read, with each id once. */
  readonly orders: readonly Sort[];
}

/** How to read a source's ranges: completely, or the first rows of each in the list's order. */
export interface Reading {
  /** The SQL of the list's rows `t` with a condition. */
  rows(condition: string): string;
  /** The SQL of the list's rows `t` with a value. */
  equal(key: string, value: string): string;
  /** The SQL of the ids of rows that another table pairs with a value. */
  pairs(match: PairMatch, value: string): string;
}

/**
 * The conditions of a saved filter: rows must match all of them. In these, `$workspace_id` is the list's workspace.
 * @param prefix how the names of the parameters begin
 */
export function refinedCondition(
  matches: Matches,
  { conjunction, criteria }: RefineCriteria,
  prefix: string,
): Condition[] {
  const parts = criteria.map((criterion, index) => conditionOf(matches, criterion, `${prefix}_${index + 1}`));
  return conjunction === 'and' || parts.length === 1 ? parts : [anyOf(parts)];
}

/** The condition that one of several holds. It has a source if each of them has one. */
function anyOf(parts: readonly Condition[]): Condition {
  const sources = parts.flatMap(({ source }) => source ?? []);
  return {
    values: Object.assign({}, ...parts.map(({ values }) => values)),
    sql: `(${parts.map(({ sql }) => sql).join(' or ')})`,
    source:
      sources.length < parts.length
        ? null
        : {
            ids: (reading) => sources.map(({ ids }) => `(${ids(reading)})`).join(' union all '),
            ranges: sources.reduce((sum, { ranges }) => sum + ranges, 0),
            hasRepeats: true,
            isOfRows: sources.every(({ isOfRows }) => isOfRows),
            hasTimes: sources.every(({ hasTimes }) => hasTimes),
            orders: (['id', 'updatedAt'] as const).filter((sort) =>
              sources.every(({ orders }) => orders.includes(sort)),
            ),
          },
  };
}

/** @param parameter the name of its parameter, or how the names begin */
function conditionOf(
  matches: Matches,
  { attribute, test, isNegated }: RefineCriterion,
  parameter: string,
): Condition {
  const condition = testCondition(matches, attribute, test, parameter);
  if (!isNegated) return condition;
  const { onId, sql, values } = condition;
  return {
    values,
    sql: `(${sql}) is not true`,
    ...(onId && { onId: (id: string) => `(${onId(id)}) is not true` }),
    source: null,
  };
}

/** No row: a scalar subquery is evaluated once, before any row. Some stores cannot read `xmin` beside a plain `false` (shard-placement/). */
const NEVER = '(select false)';

function testCondition(
  matches: Matches,
  attribute: RefineAttribute,
  test: RefineTest,
  parameter: string,
): Condition {
  const { property, kind, index, inOrder } = attribute;
  if (property === undefined) {
    // No object has a value of this attribute; a flag is false for all objects.
    const holds = kind === 'flag' && test.kind === 'equal' && test.values.includes(false);
    return holds
      ? { values: {}, sql: 'true', source: null }
      : { values: {}, sql: NEVER, source: inRange(NEVER) };
  }
  const found = matches[property];
  // Only filters of lists compare by whether a column has a value.
  const match: Exclude<Match, { set: string }> =
    found === undefined || 'set' in found ? { key: `t.${toSnakeCase(property)}` } : found;
  const orders = Object.keys(inOrder?.[test.kind] ?? {}) as Sort[];
  if ('table' in match)
    return test.kind === 'equal'
      ? pairCondition(match, test.values, index === undefined ? null : orders, parameter)
      : pairRangeCondition(match, kind, test, index !== undefined, parameter);
  const key = kind === 'text' && match.keyOf === undefined ? `lower(${match.key})` : match.key;
  const keyOf = match.keyOf ?? (kind === 'text' ? (value: string) => `lower(${value})` : null);
  const {
    values,
    sql,
    range = sql,
    source = inRange(range),
  } = comparison(key, match, keyOf, kind, test, parameter);
  const { indexHasTimes: hasTimes = false } = attribute;
  return { values, sql, source: index === undefined ? null : { ...source, orders, hasTimes } };
}

/** The list's own rows in one range of an index. @param range its condition */
export function inRange(range: string): Source {
  return {
    ids: (reading) => reading.rows(range),
    ...{ ranges: 1, hasRepeats: false, isOfRows: true, hasTimes: false, orders: [] },
  };
}

interface Comparison extends Pick<Condition, 'values' | 'sql'> {
  /** A condition in a form that uses an index; it may match slightly more rows. */
  readonly range?: string;
  /** A source for conditions that are not one range; absent: `range`. */
  readonly source?: Source;
}

/** SQL that compares text in byte order. */
const byteOrder = (text: string) => `(${text}) collate "C"`;

/** Sorts after any text with a prefix: the last Unicode character, as often as the maximum length of an e-mail address. */
const AFTER_ANY_SUFFIX = `repeat(chr(1114111), 320)`;

/** The SQL types of the compared values. */
const TYPES = {
  text: 'text',
  word: 'text',
  date: 'timestamptz',
  amount: 'numeric',
  flag: 'bool',
  ids: 'int8',
} as const;

/** The comparison of a key with a test. */
function comparison(
  key: string,
  { start = key, ordered = byteOrder(key) }: { readonly start?: string; readonly ordered?: string },
  keyOf: ((value: string) => string) | null,
  kind: RefineAttribute['kind'],
  test: RefineTest,
  parameter: string,
): Comparison {
  switch (test.kind) {
    case 'equal': {
      if (kind === 'flag') {
        const flag = `$${parameter}::bool`;
        return {
          values: { [parameter]: test.values[0] },
          sql: `${key} = ${flag}`,
          source: { ...inRange('true'), ids: (reading) => reading.equal(key, flag) },
        };
      }
      const values = { [parameter]: test.values };
      const list = `$${parameter}::${TYPES[kind]}[]`;
      if (keyOf === null)
        return {
          values,
          sql: `${key} = any(${list})`,
          source: {
            ...inRange('true'),
            ids: (reading) => forEach(list, test.values.length, (value) => reading.equal(key, value)),
            ranges: test.values.length,
          },
        };
      // Of an array of unknown length the planner expects ten values, for which it may read the whole of a narrower index.
      const among = (compared: string, form: (text: string) => string) =>
        test.values.length === 1
          ? `${compared} = (select ${form(keyOf(`(${list})[1]`))})`
          : `${compared} = any(array(select ${form(keyOf('u.value'))} from unnest(${list}) u (value)))`;
      return { values, sql: among(key, String), range: among(ordered, byteOrder) };
    }
    case 'prefix': {
      // PostgreSQL evaluates a scalar subquery only once.
      const value = `(select ${(keyOf ?? String)(`$${parameter}::text`)})`;
      return {
        values: { [parameter]: test.value },
        sql: `starts_with(${start}, ${value})`,
        range: `${ordered} >= ${byteOrder(value)} and ${ordered} <= ${byteOrder(`${value} || ${AFTER_ANY_SUFFIX}`)}`,
      };
    }
    case 'limits':
      return {
        values: Object.fromEntries(
          test.limits.map(([, value], index) => [`${parameter}_${index + 1}`, value]),
        ),
        sql: test.limits
          .map(([operator], index) => `${key} ${operator} $${parameter}_${index + 1}::${TYPES[kind]}`)
          .join(' and '),
      };
    case 'set':
      return { values: {}, sql: `${key} is not null` };
  }
}

/** Rows that another table pairs with one of several values. @param orders null: no index has the pairs */
function pairCondition(
  match: PairMatch,
  values: readonly unknown[],
  orders: readonly Sort[] | null,
  parameter: string,
): Condition {
  const array = `$${parameter}::int8[]`;
  const among = values.length === 1 ? `(${array})[1]` : `any(${array})`;
  return {
    ...existsRow(match, { [parameter]: values }, `b.${match.value} = ${among}`),
    source: orders && { ...inPairs(match, array, values.length), orders },
  };
}

/** Rows that another table pairs with a value within limits, or with any value. */
function pairRangeCondition(
  match: PairMatch,
  kind: RefineAttribute['kind'],
  test: RefineTest,
  hasIndex: boolean,
  parameter: string,
): Condition {
  const { table, row, value } = match;
  const { values, sql } = comparison(`b.${value}`, {}, null, kind, test, parameter);
  return {
    ...existsRow(match, values, sql),
    source: hasIndex
      ? {
          ids: () => `select b.${row} as id from ${table} b where b.workspace_id = $workspace_id and ${sql}`,
          ranges: 1,
          hasRepeats: match.repeats === true,
          ...{ isOfRows: false, hasTimes: false, orders: [] },
        }
      : null,
  };
}

/**
 * The condition that another table has such a row. It uses a scalar subquery, which cannot become a join.
 * @param such the condition on the row `b`
 */
function existsRow({ table, row }: PairMatch, values: Values, such: string): Omit<Condition, 'source'> {
  const has = (workspace: string, id: string) =>
    `(select true from ${table} b where b.workspace_id = ${workspace} and b.${row} = ${id} and ${such} limit 1)`;
  return { values, sql: has(ROW_WORKSPACE, 't.id'), onId: (id) => has('$workspace_id', id) };
}

/**
 * Runs a query for each value of an array. `offset 0` is an optimization fence: PostgreSQL reads one index range for each value, whatever
 * the planner estimates.
 * @param count how many values the array has @param select the query, from the SQL of a value
 */
function forEach(array: string, count: number, select: (value: string) => string): string {
  return count === 1
    ? select(`(${array})[1]`)
    : `select b.* from unnest(${array}) v (value) cross join lateral (${select('v.value')} offset 0) b`;
}

/** The rows that another table pairs with a time in a range. @param ends the SQL of an array of both ends */
export function inPairRange({ table, row, value, repeats }: PairMatch, ends: string): Source {
  return {
    ids: () =>
      `select b.${row} as id from ${table} b where b.workspace_id = $workspace_id and b.${value} >= (${ends})[1] and b.${value} < (${ends})[2]`,
    ...{ ranges: 1, hasRepeats: repeats === true, isOfRows: false, hasTimes: false, orders: [] },
  };
}

/** The rows that another table pairs with one of several values. @param array the SQL of their array @param count the number of values */
export function inPairs(match: PairMatch, array: string, count: number): Source {
  return {
    ids: (reading) => forEach(array, count, (value) => reading.pairs(match, value)),
    ranges: count,
    hasRepeats: count > 1 || match.repeats === true,
    ...{ isOfRows: false, hasTimes: false, orders: [] },
  };
}

/**
 * The condition that a workspace has a version of a saved filter. A scalar subquery is evaluated once, before any row.
 * @param workspace its SQL
 */
export function isProvided(workspace: string): string {
  return `(select true from refine_filters f where f.workspace_id = ${workspace} and f.id = $provided_id and f.updated_at = $provided_updated_at::timestamptz)`;
}

/** The values of the parameters of `isProvided`. */
export function providedValues({ id, updatedAt }: Provided): Values {
  return { provided_id: id, provided_updated_at: updatedAt.toISOString() };
}

/**
 * A statement whose text depends on clients' criteria. Its name is a hash of its text, so that no list of names has to be kept.
 * @param name what it reads
 * @param text with named parameters; `$workspace_id` is the workspace
 */
export function refinedStatement(name: string, text: string): NamedStatement {
  const named = `${name}.${hash('sha256', text, 'base64url').slice(0, 22)}`;
  const found = refinedStatements.get(named);
  if (found !== undefined) return found;
  const statement = { ...numbered(named, text, '$workspace_id'), isProjection: true };
  refinedStatements.set(named, statement);
  return statement;
}

/** By name, because numbering a text takes longer than hashing it. Clients determine the texts, so the cache is limited, in characters. */
const refinedStatements = new LRUCache<string, NamedStatement>({
  maxSize: 1_000_000,
  sizeCalculation: ({ text }) => text.length,
});
