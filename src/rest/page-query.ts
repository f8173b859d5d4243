// The page that a query asks for (spec §4 "Pagination"), and its order.
import { parseDigits, parseSortValue } from '../cursors.ts';
import { invalid, mustBe, mustBeOneOf, outOfRange, parseAll } from '../errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest, type SortOrder } from '../pagination.ts';
import type { Sort, SortValue } from '../resources/description/sorts.ts';
import type { Query } from './route.ts';
import { requireOwnPaging, requireServed, type ServedParameters } from './served-parameters.ts';

/** The query parameters of every list. */
export const pageQuery: Query<PageRequest> = {
  parameters: [
    {
      name: 'after',
      description:
        'Only objects after the one with this id, in the sort order. That object may have been deleted.',
      schema: { type: 'string', pattern: '^\\d+$' },
    },
    {
      name: 'per_page',
      description: `The number of objects per page. A number above ${MAX_PAGE_SIZE} counts as ${MAX_PAGE_SIZE}.`,
      schema: { type: 'integer', minimum: 1, default: DEFAULT_PAGE_SIZE },
    },
    {
      name: 'sort_order',
      description:
        'The direction of the list. The list is ordered by id, unless it supports `sort_property` and the request sets it.',
      schema: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
    },
  ],
  parse: parsePageQuery,
};

/** The query of a list without pages: it has no parameters. */
export const wholeQuery: Query<void> = { parameters: [], parse: (query) => requireServed(query) };

/**
 * The page that a REST query string requests. If a parameter is repeated, the last one counts.
 * @param served the filters and orders that the list supports
 * @throws AppError `invalid` (422) with each invalid parameter (spec §4 rule 6) and each unsupported parameter that would select other
 *   rows; any error of `served.filter`
 */
export function parsePageQuery(query: URLSearchParams, served: ServedParameters = {}): PageRequest {
  const last = (name: string) => query.getAll(name).at(-1);
  const { filter, refinedBy, sorts = {} } = served;
  const page = parseAll({
    order: () => optional(last('sort_order'), parseSortOrder) ?? 'asc',
    size: () => optional(last('per_page'), parsePerPage) ?? DEFAULT_PAGE_SIZE,
    after: () => optional(last('after'), parseAfter) ?? null,
    sort: () => optional(last('sort_property'), (text) => parseSortProperty(text, sorts)),
    afterValue: () => parseAfterValue(query, sorts),
    others: () => requireServed(query, served),
    paging: () => requireOwnPaging(query, served),
    filter: () => filter?.(query),
    refinedBy: () => refinedBy?.(query),
  });
  const { sort = 'id', afterValue } = page;
  // Every page that is not empty has a link to the next (spec §4 rules 3-4), so `more` is not needed.
  return {
    order: page.order,
    size: page.size,
    after: page.after,
    before: null,
    backward: false,
    rowsOnly: true,
    ...(page.filter && { filter: page.filter }),
    ...(page.refinedBy && { refinedBy: page.refinedBy }),
    ...(sort !== 'id' && { sort, afterValue }),
  };
}

/** The value of the position `after`, in a list by `updated_at`, and in any other order than by id. */
export const AFTER_TIME = 'after_updated_at';

export const AFTER_VALUE = 'after_value';

/** Both. */
export const AFTER_VALUES = [AFTER_TIME, AFTER_VALUE];

/** The parameter with the value of the position `after`. */
export function afterValueName(sort: Exclude<Sort, 'id'>): string {
  return sort === 'updatedAt' ? AFTER_TIME : AFTER_VALUE;
}

function optional<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

function parseSortProperty(text: string, sorts: Readonly<Record<string, Sort>>): Sort | undefined {
  const names = ['id', ...Object.keys(sorts)];
  // A list without `sorts` refuses the parameter itself.
  if (names.length === 1) return undefined;
  if (!names.includes(text)) throw invalid('sort_property', mustBeOneOf(`${names.join(' or ')}`));
  return sorts[text] ?? 'id';
}

/**
 * The value of the position `after` in a query string; undefined if there is none.
 * @throws AppError `invalid` for one that the order does not have, or without `after`
 */
function parseAfterValue(
  query: URLSearchParams,
  sorts: Readonly<Record<string, Sort>>,
): SortValue | undefined {
  const last = (name: string) => query.getAll(name).at(-1);
  const sort = sorts[last('sort_property') ?? 'id'] ?? 'id';
  const own = sort === 'id' || !query.has('after') ? null : afterValueName(sort);
  // A list whose orders have no such value ignores the parameter.
  const names = new Set(Object.values(sorts).flatMap((one) => (one === 'id' ? [] : [afterValueName(one)])));
  for (const name of names)
    if (name !== own && query.has(name))
      throw invalid(name, {
        code: 'not_allowed',
        message: `needs after and ${name === AFTER_TIME ? 'sort_property=updated_at' : 'the same sort_property'}. Use the URL in the Link header`,
      });
  const text = own === null ? undefined : last(own);
  if (sort === 'id' || own === null || text === undefined) return undefined;
  const value = parseSortValue(sort, text);
  if (value === undefined)
    throw invalid(
      own,
      mustBe(
        own === AFTER_TIME
          ? 'a time as in the Link header, such as 2026-01-31T09:30:00.000Z'
          : 'a value as in the Link header',
      ),
    );
  return value;
}

function parseSortOrder(text: string): SortOrder {
  if (text === 'asc' || text === 'desc') return text;
  throw invalid('sort_order', mustBeOneOf('asc or desc'));
}

function parsePerPage(text: string): number {
  if (!/^\d+$/.test(text) || /^0+$/.test(text))
    throw invalid('per_page', outOfRange('a whole number of at least 1'));
  return Math.min(Number(text), MAX_PAGE_SIZE);
}

function parseAfter(text: string): bigint {
  const id = parseDigits(text);
  if (id === null) throw invalid('after', mustBe('the id of the last object of the previous page'));
  return id;
}
