// Page rules and cursors, used by REST and GraphQL (spec §4 "Pagination"). Pure.
import { decodeCursor, parseDigits, toTime } from './cursors.ts';
import { invalid, invalidFields, mustBe, mustBeOneOf, outOfRange, parseAll } from './errors.ts';
import type { Sort } from './resources/resource.ts';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export type SortOrder = 'asc' | 'desc';

/** The given filters, by property. Rows must match every filter, with any of its values. */
export type FilterValues = Readonly<Record<string, readonly (bigint | string | boolean)[]>>;

/** The filter and order of a list; absent: all rows, ordered by id. */
export interface Selection {
  readonly filter?: FilterValues;
  /** Rows with the same time are ordered by id. */
  readonly sort?: Sort;
  /** The saved filter that rows must match besides, and the parameter that named it. */
  readonly refinedBy?: { readonly id: bigint; readonly name: string };
  /** A page has rows only while its workspace has this saved filter, unchanged. */
  readonly provided?: Provided;
}

/** A saved filter, and the time of its last change, which no two of its versions share. */
export interface Provided {
  readonly id: bigint;
  readonly updatedAt: Date;
}

/**
 * A page with keyset pagination on id, or on time and id: the first `size` rows between `after` and `before`, or with `backward` the
 * last ones.
 */
export interface PageRequest extends Selection {
  readonly order: SortOrder;
  readonly size: number;
  /** Only rows after this id in `order`; null: from the start. The row itself may have been deleted. */
  readonly after: bigint | null;
  /** Only rows before this id in `order`; null: to the end. */
  readonly before: bigint | null;
  /** In a list by `updatedAt`: the times of the positions `after` and `before`. */
  readonly afterTime?: Date | null | undefined;
  readonly beforeTime?: Date | null | undefined;
  /** Count `size` from the end (Relay `last`). The rows are still in `order`. */
  readonly backward: boolean;
  /** Do not compute `more`: it is always false. */
  readonly rowsOnly?: boolean;
}

/** Rows in order, and whether more rows follow in the direction of paging. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
  /** The order of the rows; absent: by id. */
  readonly sort?: Sort;
}

/** The REST parameters that a list supports in addition to those of every list. */
export interface ServedParameters {
  /** Reads the filters in a query string; absent: the list has no filters. */
  readonly filter?: (query: URLSearchParams) => FilterValues | undefined;
  /** Reads which saved filter a query string names; absent: none selects the list. */
  readonly refinedBy?: (query: URLSearchParams) => Selection['refinedBy'];
  /** The values of `sort_property` besides `id`. Several values may mean the same order. */
  readonly sorts?: Readonly<Record<string, Sort>>;
}

/** What clients write for the parameters that name a saved filter. */
const NEAR_STORED_FILTER = '(?:saved|stored|refine)[_-]?filters?(?:[_-]?ids?)?|stable[_-]?ids?';
/** Parameters that would select or sort the rows of a list. In any letter case and form, since clients misspell them. */
const UNSUPPORTED = new RegExp(
  String.raw`^(?:(?:filter|sort_?property|${NEAR_STORED_FILTER})(?:[[.]|$)|(?:filters|after|per_page|sort_order)\[)`,
  'i',
);

/** Parameters by which clients of other APIs page or ask for changes. Ignoring them would answer the same page again and again. */
const OTHER_PAGING = /^(?:updated_?since|created_?since|cursor|starting_?after)$/i;
/** Page numbers and offsets, refused unless they ask for the first page. */
const PAGE_NUMBER = /^page(?:\[(?:number)?\])?$/i;
const OFFSET = /^(?:offset|page\[offset\])$/i;

/** How many unsupported parameters an error names. */
const MAX_UNSUPPORTED = 10;

/** The parameters, besides `filter[refine_filter_id]`, that name a saved filter. */
export const STORED_FILTER = ['stored_filter_id', 'stable_id'];

/** The names of parameters that filter a list, in any letter case. */
export const FILTER = /^filter(?:\[|$)/i;

/**
 * The page that a REST query string requests. If a parameter is repeated, the last one counts.
 * @param served the filters and orders that the list supports
 * @throws AppError `invalid` (422) naming each invalid parameter (spec §4 rule 6) and each unsupported parameter that would select other
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
    afterTime: () =>
      sorts['updated_at'] === 'updatedAt' ? optional(last(AFTER_TIME), parseAfterTime) : undefined,
    others: () => requireServed(query, served),
    paging: () => requireOwnPaging(query, served),
    filter: () => filter?.(query),
    refinedBy: () => refinedBy?.(query),
  });
  if (page.afterTime !== undefined && (page.sort !== 'updatedAt' || page.after === null))
    throw invalid(AFTER_TIME, {
      code: 'not_allowed',
      message: 'goes with after and sort_property=updated_at, as the Link header has them',
    });
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
    ...(page.sort === 'updatedAt' && { sort: page.sort, afterTime: page.afterTime }),
  };
}

/** The time of the position `after`, in a list by `updated_at`. */
export const AFTER_TIME = 'after_updated_at';

function optional<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

/**
 * Checks that the list supports all parameters that would select or order other rows.
 * @throws AppError `invalid` naming each unsupported parameter
 */
export function requireServed(
  query: URLSearchParams,
  { filter, refinedBy, sorts }: ServedParameters = {},
): void {
  const isServed = (name: string) =>
    (filter !== undefined && FILTER.test(name)) ||
    (refinedBy !== undefined && STORED_FILTER.includes(name)) ||
    (sorts !== undefined && name === 'sort_property');
  const unsupported = query.keys().filter((name) => UNSUPPORTED.test(name) && !isServed(name));
  refuse(
    unsupported,
    (name) =>
      `This list does not serve ${name}. To ignore it would answer other rows than those asked for.${
        refinedBy !== undefined && /filter|stable/i.test(name)
          ? ' A saved filter is named by filter[refine_filter_id].'
          : ''
      }`,
  );
}

/**
 * Checks that no parameter asks for another page, or for changes, in the way of other APIs.
 * @throws AppError `invalid` naming each
 */
function requireOwnPaging(query: URLSearchParams, { sorts }: ServedParameters): void {
  const changes = sorts === undefined ? '' : ' For changes, order by sort_property=updated_at.';
  const others = [...query].filter(([name, value]) => pagesOtherwise(name, value)).map(([name]) => name);
  refuse(others, (name) => `Unknown parameter ${name}. Continue with after or the Link header.${changes}`);
}

function refuse(names: Iterable<string>, messageOf: (name: string) => string): void {
  const errors = [...new Set(names)]
    .slice(0, MAX_UNSUPPORTED)
    .map((field) => ({ code: 'unknown_field' as const, field, message: messageOf(field) }));
  if (errors.length > 0) throw invalidFields(errors);
}

/** Whether a parameter asks for another page, or for changes, in a way that no list has. */
function pagesOtherwise(name: string, value: string): boolean {
  if (OTHER_PAGING.test(name)) return true;
  return (PAGE_NUMBER.test(name) && Number(value) > 1) || (OFFSET.test(name) && Number(value) > 0);
}

function parseSortProperty(text: string, sorts: Readonly<Record<string, Sort>>): Sort | undefined {
  const names = ['id', ...Object.keys(sorts)];
  // A list without `sorts` refuses the parameter itself.
  if (names.length === 1) return undefined;
  if (!names.includes(text)) throw invalid('sort_property', mustBeOneOf(`${names.join(' or ')}`));
  return sorts[text] ?? 'id';
}

function parseAfterTime(text: string): Date {
  const time = toTime(text);
  if (time === null)
    throw invalid(AFTER_TIME, mustBe('a time as the Link header has it, such as 2026-01-31T09:30:00.000Z'));
  return time;
}

/** Whether the whole saved-filter list is requested: neither `after` nor `per_page` was sent (spec §4 rule 7). */
export function asksForRegistry(query: URLSearchParams): boolean {
  return !query.has('after') && !query.has('per_page');
}

/** A page of the saved-filter list, in which `after=0` means the start in either direction (spec §4 rule 7). */
export function toRegistryPage(page: PageRequest): PageRequest {
  return page.after === 0n ? { ...page, after: null } : page;
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

/** The arguments of a Relay connection. */
export interface ConnectionArgs {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
  sortOrder?: SortOrder | null | undefined;
}

/**
 * The page that connection arguments request: by default 20 objects, at most 100.
 * @param kind the kind of list to which the cursors must belong, such as `contacts`
 * @param selection the filter and order
 * @throws AppError `invalid` naming each wrong argument: sizes below 1, `first` with `last`, a cursor of another kind of list or of
 *   another order
 */
export function parseConnectionArgs(
  kind: string,
  args: ConnectionArgs,
  selection: Selection = {},
): PageRequest {
  const { first, last, after, before } = args;
  const { sort = 'id' } = selection;
  const page = parseAll({
    first: () => requireSize('first', first),
    last: () => requireSize('last', last),
    size: () => parseConnectionSize(first, last),
    after: () => (after == null ? null : decodeCursor(kind, after, 'after', sort)),
    before: () => (before == null ? null : decodeCursor(kind, before, 'before', sort)),
  });
  return {
    order: args.sortOrder ?? 'asc',
    size: page.size,
    after: page.after?.id ?? null,
    before: page.before?.id ?? null,
    backward: last != null,
    ...selection,
    ...(sort !== 'id' && { afterTime: page.after?.time, beforeTime: page.before?.time }),
  };
}

function requireSize(field: string, size: number | null | undefined): void {
  if (size != null && size < 1) throw invalid(field, outOfRange('a whole number of at least 1'));
}

function parseConnectionSize(first: number | null | undefined, last: number | null | undefined): number {
  if (first != null && last != null)
    throw invalid('last', { code: 'not_allowed', message: 'Give first or last, not both.' });
  return Math.min(last ?? first ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
}
