// The SQL of saved filters: checked criteria become one condition over a row `t`, with every value as a parameter. Its text depends on
// attributes and clauses, never on values.
import { hash } from 'node:crypto';
import type { Provided } from '../../pagination.ts';
import type { RefineAttribute } from '../../resources/refine-attributes.ts';
import { type Sort, toSnakeCase } from '../../resources/resource.ts';
import type { Match, PairMatch } from './filters.ts';
import { inWorkspace, ROW_WORKSPACE, type Statement } from './statements.ts';

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

/** A part of a condition: its parameters, and its SQL for the number of its first parameter. */
export interface Condition {
  readonly values: readonly unknown[];
  sql(first: number): string;
  /** The same condition over the SQL of a row's id; absent: the row is needed. `$3` is the workspace. */
  onId?(first: number, id: string): string;
  /** The matching rows by index; null: no index finds them. */
  readonly source: Source | null;
}

/** The ids of all rows that match, from ranges of indexes. */
export interface Source {
  /** Their SQL: the column `id`, and the other columns of the reading. */
  ids(first: number, reading: Reading): string;
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

/** How to read a source's ranges: completely, or the first rows of each in the list's order. `$3` is the workspace. */
export interface Reading {
  /** The SQL of the list's rows `t` with a condition. */
  rows(condition: string): string;
  /** The SQL of the list's rows `t` with a value. */
  equal(key: string, value: string): string;
  /** The SQL of the ids of rows that another table pairs with a value. */
  pairs(match: PairMatch, value: string): string;
}

/** The conditions of a saved filter: rows must match all of them. */
export function refinedCondition(matches: Matches, { conjunction, criteria }: RefineCriteria): Condition[] {
  const parts = criteria.map((criterion) => conditionOf(matches, criterion));
  return conjunction === 'and' || parts.length === 1 ? parts : [anyOf(parts)];
}

/** The condition that one of several holds. It has a source if each of them has one. */
function anyOf(parts: readonly Condition[]): Condition {
  const firsts = parts.map((_, index) => parts.slice(0, index).flatMap(({ values }) => values).length);
  const at = (first: number, index: number) => first + (firsts[index] ?? 0);
  const sources = parts.flatMap(({ source }) => source ?? []);
  return {
    values: parts.flatMap(({ values }) => values),
    sql: (first) => `(${parts.map((part, index) => part.sql(at(first, index))).join(' or ')})`,
    source:
      sources.length < parts.length
        ? null
        : {
            ids: (first, reading) =>
              sources
                .map((source, index) => `(${source.ids(at(first, index), reading)})`)
                .join(' union all '),
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

function conditionOf(matches: Matches, { attribute, test, isNegated }: RefineCriterion): Condition {
  const condition = positive(matches, attribute, test);
  if (!isNegated) return condition;
  const { onId, values } = condition;
  return {
    values,
    sql: (first) => `(${condition.sql(first)}) is not true`,
    ...(onId && { onId: (first: number, id: string) => `(${onId(first, id)}) is not true` }),
    source: null,
  };
}

function positive(matches: Matches, attribute: RefineAttribute, test: RefineTest): Condition {
  const { property, kind, index, inOrder } = attribute;
  if (property === undefined) {
    // No object has a value of this attribute; a flag is false for all objects.
    const holds = kind === 'flag' && test.kind === 'equal' && test.values.includes(false);
    return { values: [], sql: () => String(holds), source: holds ? null : inRange(() => 'false') };
  }
  const match = matches[property] ?? { key: `t.${toSnakeCase(property)}` };
  const orders = Object.keys(inOrder?.[test.kind] ?? {}) as Sort[];
  if ('table' in match)
    return test.kind === 'equal'
      ? paired(match, test.values, index === undefined ? null : orders)
      : pairedWithin(match, kind, test, index !== undefined);
  const key = kind === 'text' && match.keyOf === undefined ? `lower(${match.key})` : match.key;
  const keyOf = match.keyOf ?? (kind === 'text' ? (value: string) => `lower(${value})` : null);
  const {
    values,
    sql,
    range = sql,
    source = inRange(range),
  } = comparison(key, match.start ?? key, keyOf, kind, test);
  const { indexHasTimes: hasTimes = false } = attribute;
  return { values, sql, source: index === undefined ? null : { ...source, orders, hasTimes } };
}

/** The list's own rows in one range of an index. @param range its condition */
export function inRange(range: Condition['sql']): Source {
  return {
    ids: (first, reading) => reading.rows(range(first)),
    ...{ ranges: 1, hasRepeats: false, isOfRows: true, hasTimes: false, orders: [] },
  };
}

interface Comparison extends Pick<Condition, 'values' | 'sql'> {
  /** A condition in a form that uses an index; it may match slightly more rows. */
  readonly range?: Condition['sql'];
  /** A source for conditions that are not one range; absent: `range`. */
  readonly source?: Source;
}

/** SQL that compares text in byte order. */
const inBytes = (text: string) => `(${text}) collate "C"`;

/** Sorts after any text with a prefix: the last Unicode character, as often as the maximum length of an e-mail address. */
const LAST = `repeat(chr(1114111), 320)`;

/** The SQL types of the compared values. */
const TYPES = {
  text: 'text',
  word: 'text',
  date: 'timestamptz',
  amount: 'numeric',
  flag: 'bool',
  ids: 'int8',
} as const;

/** The comparison of a key with a test. @param start an expression with the same beginning as `key`, for prefixes */
function comparison(
  key: string,
  start: string,
  keyOf: ((value: string) => string) | null,
  kind: RefineAttribute['kind'],
  test: RefineTest,
): Comparison {
  switch (test.kind) {
    case 'equal': {
      if (kind === 'flag')
        return {
          values: [test.values[0]],
          sql: (first) => `${key} = $${first}::bool`,
          source: {
            ...inRange(() => 'true'),
            ids: (first, reading) => reading.equal(key, `$${first}::bool`),
          },
        };
      const list = (first: number) => `$${first}::${TYPES[kind]}[]`;
      if (keyOf === null)
        return {
          values: [test.values],
          sql: (first) => `${key} = any(${list(first)})`,
          source: {
            ...inRange(() => 'true'),
            ids: (first, reading) =>
              forEach(list(first), test.values.length, (value) => reading.equal(key, value)),
            ranges: test.values.length,
          },
        };
      const among = (form: (text: string) => string, first: number) =>
        `${form(key)} = any(array(select ${form(keyOf('u.value'))} from unnest(${list(first)}) u (value)))`;
      return {
        values: [test.values],
        sql: (first) => among(String, first),
        range: (first) => among(inBytes, first),
      };
    }
    case 'prefix': {
      // PostgreSQL evaluates a scalar subquery only once.
      const value = (first: number) => `(select ${(keyOf ?? String)(`$${first}::text`)})`;
      return {
        values: [test.value],
        sql: (first) => `starts_with(${start}, ${value(first)})`,
        range: (first) =>
          `${inBytes(key)} >= ${inBytes(value(first))} and ${inBytes(key)} <= ${inBytes(`${value(first)} || ${LAST}`)}`,
      };
    }
    case 'limits':
      return {
        values: test.limits.map(([, value]) => value),
        sql: (first) =>
          test.limits
            .map(([operator], index) => `${key} ${operator} $${first + index}::${TYPES[kind]}`)
            .join(' and '),
      };
    case 'set':
      return { values: [], sql: () => `${key} is not null` };
  }
}

/** Rows that another table pairs with one of several values. @param orders null: no index has the pairs */
function paired(match: PairMatch, values: readonly unknown[], orders: readonly Sort[] | null): Condition {
  const among = (first: number) =>
    values.length === 1 ? `($${first}::int8[])[1]` : `any($${first}::int8[])`;
  return {
    ...thatHas(match, [values], (first) => `b.${match.value} = ${among(first)}`),
    source: orders && { ...inPairs(match, 'int8[]', values.length), orders },
  };
}

/** Rows that another table pairs with a value within limits, or with any value. */
function pairedWithin(
  match: PairMatch,
  kind: RefineAttribute['kind'],
  test: RefineTest,
  hasIndex: boolean,
): Condition {
  const { table, row, value } = match;
  const { values, sql } = comparison(`b.${value}`, `b.${value}`, null, kind, test);
  return {
    ...thatHas(match, values, sql),
    source: hasIndex
      ? {
          ids: (first) => `select b.${row} as id from ${table} b where b.workspace_id = $3 and ${sql(first)}`,
          ranges: 1,
          hasRepeats: match.repeats === true,
          ...{ isOfRows: false, hasTimes: false, orders: [] },
        }
      : null,
  };
}

/**
 * The condition that another table has such a row. It uses a scalar subquery, which cannot become a join.
 * @param such the condition on the row `b`, for the number of its first parameter
 */
function thatHas(
  { table, row }: PairMatch,
  values: readonly unknown[],
  such: Condition['sql'],
): Omit<Condition, 'source'> {
  const has = (first: number, workspace: string, id: string) =>
    `(select true from ${table} b where b.workspace_id = ${workspace} and b.${row} = ${id} and ${such(first)} limit 1)`;
  return {
    values,
    sql: (first) => has(first, ROW_WORKSPACE, 't.id'),
    onId: (first, id) => has(first, '$3', id),
  };
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

/**
 * The rows that another table pairs with one of several values. @param array the type of the parameter @param count the number of values
 */
export function inPairs(match: PairMatch, array: string, count: number): Source {
  return {
    ids: (first, reading) => forEach(`$${first}::${array}`, count, (value) => reading.pairs(match, value)),
    ranges: count,
    hasRepeats: count > 1 || match.repeats === true,
    ...{ isOfRows: false, hasTimes: false, orders: [] },
  };
}

/**
 * The condition that the workspace `$3` has a version of a saved filter. A scalar subquery is evaluated once, before any row.
 * @param first the number of the first parameter
 */
export function isProvided(first: number): string {
  return `(select true from refine_filters f where f.workspace_id = $3 and f.id = $${first} and f.updated_at = $${first + 1}::timestamptz)`;
}

/** The parameters of `isProvided`. */
export function providedValues({ id, updatedAt }: Provided): unknown[] {
  return [id, updatedAt.toISOString()];
}

/**
 * A statement whose text depends on clients' criteria. Its name is a hash of its text, so that no list of names has to be kept.
 * @param name what it reads @param template `$3` is the workspace
 */
export function refinedStatement(name: string, template: string): Statement {
  const text = inWorkspace(template, '$3');
  return { name: `${name}.${hash('sha256', text, 'base64url').slice(0, 22)}`, text, isProjection: true };
}
