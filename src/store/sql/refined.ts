// The SQL of saved filters: criteria that were checked become one condition over a row `t`, with every value as a parameter. Its text
// depends on attributes and clauses, never on values.
import { hash } from 'node:crypto';
import type { RefineAttribute } from '../../resources/refine-attributes.ts';
import { toSnakeCase } from '../../resources/resource.ts';
import type { Match, PairMatch } from './filters.ts';
import type { Statement } from './statements.ts';

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
  /** null: no index has the rows that match. */
  readonly source: Source | null;
}

/** The ids of all rows that match, from an index. */
export interface Source {
  /** Their SQL: the column `id`. `$3` is the workspace. */
  ids(first: number, rows: RowsOf): string;
  /** Whether an id may be there more than once. */
  readonly hasRepeats: boolean;
}

/** The SQL of the ids of a list's rows `t` with a condition. */
type RowsOf = (condition: string) => string;

/** The conditions of a saved filter: rows must match all of them. */
export function refinedCondition(matches: Matches, { conjunction, criteria }: RefineCriteria): Condition[] {
  const parts = criteria.map((criterion) => conditionOf(matches, criterion));
  return conjunction === 'and' || parts.length === 1 ? parts : [anyOf(parts)];
}

/** The condition that one of several holds. An index serves it where each of them has one. */
function anyOf(parts: readonly Condition[]): Condition {
  const firsts = parts.map((_, index) => parts.slice(0, index).flatMap(({ values }) => values).length);
  const each = (of: (part: Condition, index: number) => string, separator: string) =>
    parts.map(of).join(separator);
  const at = (first: number, index: number) => first + (firsts[index] ?? 0);
  return {
    values: parts.flatMap(({ values }) => values),
    sql: (first) => `(${each((part, index) => part.sql(at(first, index)), ' or ')})`,
    source: parts.every(({ source }) => source !== null)
      ? {
          ids: (first, rows) =>
            each(({ source }, index) => `(${source?.ids(at(first, index), rows)})`, ' union all '),
          hasRepeats: true,
        }
      : null,
  };
}

function conditionOf(matches: Matches, { attribute, test, isNegated }: RefineCriterion): Condition {
  const condition = positive(matches, attribute, test);
  if (!isNegated) return condition;
  return { ...condition, sql: (first) => `(${condition.sql(first)}) is not true`, source: null };
}

function positive(matches: Matches, attribute: RefineAttribute, test: RefineTest): Condition {
  const { property, kind, index } = attribute;
  if (property === undefined) {
    // No object has a value, and what is true or false of an object is false.
    const holds = kind === 'flag' && test.kind === 'equal' && test.values.includes(false);
    return { values: [], sql: () => String(holds), source: holds ? null : inRange(() => 'false') };
  }
  const match = matches[property] ?? { key: `t.${toSnakeCase(property)}` };
  if ('table' in match) return paired(match, test, index !== undefined);
  const key = kind === 'text' && match.keyOf === undefined ? `lower(${match.key})` : match.key;
  const keyOf = match.keyOf ?? (kind === 'text' ? (value: string) => `lower(${value})` : null);
  const { values, sql, range = sql, source = inRange(range) } = comparison(key, keyOf, kind, test);
  return { values, sql, source: index === undefined ? null : source };
}

function inRange(range: Condition['sql']): Source {
  return { ids: (first, rows) => rows(range(first)), hasRepeats: false };
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

function comparison(
  key: string,
  keyOf: ((value: string) => string) | null,
  kind: RefineAttribute['kind'],
  test: RefineTest,
): Comparison {
  switch (test.kind) {
    case 'equal': {
      if (kind === 'flag') return { values: [test.values[0]], sql: (first) => `${key} = $${first}::bool` };
      const list = (first: number) => `$${first}::${TYPES[kind]}[]`;
      if (keyOf === null)
        return {
          values: [test.values],
          sql: (first) => `${key} = any(${list(first)})`,
          source: { ids: (first, rows) => forEach(list(first), rows(`${key} = v.value`)), hasRepeats: false },
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
      const value = (first: number) => (keyOf ?? String)(`$${first}::text`);
      return {
        values: [test.value],
        sql: (first) => `starts_with(${key}, ${value(first)})`,
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

/** By rows of another table. It uses a scalar subquery, which cannot become a join. */
function paired({ table, row, value }: PairMatch, test: RefineTest, hasIndex: boolean): Condition {
  if (test.kind !== 'equal') throw new TypeError(`Pairs have no ${test.kind}.`);
  const among = (first: number) => `b.${value} = any($${first}::int8[])`;
  return {
    values: [test.values],
    sql: (first) =>
      `(select true from ${table} b where b.workspace_id = t.workspace_id and b.${row} = t.id and ${among(first)} limit 1)`,
    source: hasIndex ? inPairs({ table, row, value }, 'int8[]') : null,
  };
}

/**
 * The ids that a query selects for each value `v.value` of an array. `offset 0` is an optimization fence: each value is one range of the
 * index, whatever the planner believes of the others.
 */
function forEach(array: string, ids: string): string {
  return `select b.id from unnest(${array}) v (value) cross join lateral (${ids} offset 0) b`;
}

/** The rows that another table pairs with one of several values. @param array the type of the parameter with these */
export function inPairs({ table, row, value }: PairMatch, array: string): Source {
  return {
    ids: (first) =>
      forEach(
        `$${first}::${array}`,
        `select b.${row} as id from ${table} b where b.workspace_id = $3 and b.${value} = v.value`,
      ),
    hasRepeats: true,
  };
}

/**
 * A statement whose text clients decide, through criteria. Its name is made from its text, so that no list of names has to be kept.
 * @param name what it reads
 */
export function refinedStatement(name: string, text: string): Statement {
  return { name: `${name}.${hash('sha256', text, 'base64url').slice(0, 22)}`, text, isProjection: true };
}
