// Pages of lists, and how GraphQL asks for one; REST's queries are in rest/list-queries.ts. Pure.
import { decodeCursor, decodePlaceCursor } from './cursors.ts';
import { invalid, outOfRange, parseAll } from './errors.ts';
import type { Sort, SortValue } from './resources/description/sorts.ts';
import type { RequestedCriteria } from './resources/refine-filters.ts';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export type SortOrder = 'asc' | 'desc';

/** The filters of a request, by property. Rows must match every filter, with any of its values. */
export type FilterValues = Readonly<Record<string, readonly (bigint | string | boolean)[]>>;

/** The filter and order of a list; absent: all rows, ordered by id. */
export interface Selection {
  readonly filter?: FilterValues;
  /** Rows with the same value are ordered by id. */
  readonly sort?: Sort;
  /** The conditions of the request itself, in the form of a saved filter’s: rows must match all of them. */
  readonly criteria?: RequestedCriteria;
  /** The saved filter that rows must match in addition, and the parameter that contained its id. */
  readonly refinedBy?: { readonly id: bigint; readonly name: string };
  /** A page has rows only while its workspace has this saved filter, unchanged. */
  readonly provided?: Provided;
}

/** A saved filter, and the time of its last change, which identifies its version. */
export interface Provided {
  readonly id: bigint;
  readonly updatedAt: Date;
}

/**
 * A page with keyset pagination on id, or on a value and id: the first `size` rows between `after` and `before`, or with `backward` the
 * last ones.
 */
export interface PageRequest extends Selection {
  readonly order: SortOrder;
  readonly size: number;
  /** Only rows after this id in `order`; null: from the start. The row itself may have been deleted. */
  readonly after: bigint | null;
  /** Only rows before this id in `order`; null: to the end. */
  readonly before: bigint | null;
  /** In a list that is not ordered by id: the values of the positions `after` and `before`. */
  readonly afterValue?: SortValue | undefined;
  readonly beforeValue?: SortValue | undefined;
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

/** The arguments of a Relay connection. */
export interface ConnectionArgs {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}

/**
 * The page that connection arguments request: by default 20 objects, at most 100.
 * @param kind the kind of list to which the cursors must belong, such as `contacts`
 * @param order its direction
 * @param selection the filter and what the list is ordered by
 * @throws AppError `invalid` with each wrong argument: sizes below 0, `first` with `last`, a cursor of another kind of list or of another
 *   order
 */
export function parseConnectionArgs(
  kind: string,
  args: ConnectionArgs,
  order: SortOrder = 'asc',
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
    order,
    size: page.size,
    after: page.after?.id ?? null,
    before: page.before?.id ?? null,
    backward: last != null,
    ...selection,
    ...(sort !== 'id' && { afterValue: page.after?.value, beforeValue: page.before?.value }),
  };
}

/** The part of a list that is known as a whole. */
export interface ListPart {
  /** The index of the first item, and of the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Whether items precede the part, and whether some follow it. */
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/**
 * The page of a list of this length.
 * @param start the index of the first item after the cursor `after` @param end the index of the first one that is not before `before`
 */
export function partOf(
  length: number,
  start: number,
  end: number,
  { size, backward }: Pick<PageRequest, 'size' | 'backward'>,
): ListPart {
  const from = Math.min(backward ? Math.max(start, end - size) : start, length);
  const to = Math.max(from, backward ? end : Math.min(end, start + size));
  return { from, to, hasPreviousPage: from > 0, hasNextPage: to < length };
}

/** The page that the arguments of a list in an order of its own request. @throws AppError `invalid` with each wrong argument */
export function parseOrderedArgs(kind: string, args: ConnectionArgs) {
  const { first, last, after, before } = args;
  const { size, ...positions } = parseAll({
    first: () => requireSize('first', first),
    last: () => requireSize('last', last),
    size: () => parseConnectionSize(first, last),
    after: () => (after == null ? null : decodePlaceCursor(kind, after, 'after')),
    before: () => (before == null ? null : decodePlaceCursor(kind, before, 'before')),
  });
  return { size, after: positions.after, before: positions.before, backward: last != null };
}

function requireSize(field: string, size: number | null | undefined): void {
  if (size != null && size < 0) throw invalid(field, outOfRange('a whole number of at least 0'));
}

function parseConnectionSize(first: number | null | undefined, last: number | null | undefined): number {
  if (first != null && last != null)
    throw invalid('last', { code: 'not_allowed', message: 'Give first or last, not both.' });
  return Math.min(last ?? first ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
}
