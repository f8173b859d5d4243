// The SQL of saved filters: criteria that were checked become one condition over a row `t`, with every value as a parameter. Its text
// depends on attributes and clauses, never on values.
import { hash } from 'node:crypto';
import type { Provided } from '../../pagination.ts';
import type { RefineAttribute } from '../../resources/refine-attributes.ts';
import { type Sort, toSnakeCase } from '../../resources/resource.ts';
import type { Match, PairMatch } from './filters.ts';
import { inWorkspace, ROW_WORKSPACE, type Statement } from './statements.ts';

/** What a value of an attribute must be. */
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

/** A criterion that was checked. */
export interface RefineCriterion {
  readonly attribute: RefineAttribute;
  readonly test: RefineTest;
  /** Whether it matches what does not pass the test, objects without a value included. */
  readonly isNegated: boolean;
}

/** A saved filter that was checked. */
export interface RefineCriteria {
  readonly conjunction: 'and' | 'or';
  readonly criteria: readonly RefineCriterion[];
}

/** How the list compares its properties, by which attributes are compared too. */
type Matches = Readonly<Record<string, Match | undefined>>;

/** A part of a condition: its SQL, given the number of its first parameter, and its parameters. */
export interface Condition {
  readonly values: readonly unknown[];
  sql(first: number): string;
  /** The same where only the SQL of a row's id is known; absent: the row is needed. `$3` is the workspace. */
  onId?(first: number, id: string): string;
  /** null: no index has the rows that match. */
  readonly source: Source | null;
}

/** The ids of all rows that match, from ranges of indexes. */
export interface Source {
  /** Their SQL: the column `id`, and what else the reading gives. */
  ids(first: number, reading: Reading): string;
  /** How many ranges. */
  readonly ranges: number;
  /** Whether an id may be there more than once: in several ranges, or in one. */
  readonly hasRepeats: boolean;
  /** Whether the ranges are of the list's own rows, so that the reading gives all that it is asked for. */
  readonly isOfRows: boolean;
  /** Whether the indexes have the times of the rows' changes, too. */
  readonly hasTimes: boolean;
  /** The orders of a list that each range has, with each id once. */
  readonly orders: readonly Sort[];
}

/** How a source's ranges are read: whole, or the first rows of each in the list's order. `$3` is the workspace. */
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

/** The condition that one of several holds. An index serves it where each of them has one. */
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
    // No object has a value, and what is true or false of an object is false.
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
  /** The same or a little more, in the form that an index serves. */
  readonly range?: Condition['sql'];
  /** Where a range is not how an index is read best. */
  readonly source?: Source;
}

/** In the order of bytes. */
const inBytes = (text: string) => `(${text}) collate "C"`;

/** More than any text has behind a prefix: the last character that there is, as often as an e-mail address can have it. */
const LAST = `repeat(chr(1114111), 320)`;

/** The types of the values that are compared. */
const TYPES = {
  text: 'text',
  word: 'text',
  date: 'timestamptz',
  amount: 'numeric',
  flag: 'bool',
  ids: 'int8',
} as const;

/** @param start the same as `key` where a text begins */
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
      // A scalar subquery, so that it is evaluated once.
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

/** By rows of another table with one of some values. @param orders null: no index has the pairs */
function paired(match: PairMatch, values: readonly unknown[], orders: readonly Sort[] | null): Condition {
  const among = (first: number) =>
    values.length === 1 ? `($${first}::int8[])[1]` : `any($${first}::int8[])`;
  return {
    ...thatHas(match, [values], (first) => `b.${match.value} = ${among(first)}`),
    source: orders && { ...inPairs(match, 'int8[]', values.length), orders },
  };
}

/** By rows of another table with a value within limits, or with any. */
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
 * That another table has such a row. It uses a scalar subquery, which cannot become a join.
 * @param such the condition on the row `b`, given the number of its first parameter
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
 * What a query selects for each value of an array. `offset 0` is an optimization fence: each value is one range of the index, whatever the
 * planner believes of the others.
 * @param count how many values the array has
 * @param select the query, given the SQL of a value
 */
function forEach(array: string, count: number, select: (value: string) => string): string {
  return count === 1
    ? select(`(${array})[1]`)
    : `select b.* from unnest(${array}) v (value) cross join lateral (${select('v.value')} offset 0) b`;
}

/** The rows that another table pairs with one of several values. @param array the type of the parameter with these @param count of them */
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
 * A statement whose text clients decide, through criteria. Its name is made from its text, so that no list of names has to be kept.
 * @param name what it reads @param template `$3` is the workspace
 */
export function refinedStatement(name: string, template: string): Statement {
  const text = inWorkspace(template, '$3');
  return { name: `${name}.${hash('sha256', text, 'base64url').slice(0, 22)}`, text, isProjection: true };
}
