// Page rules and cursors, used by REST and GraphQL (spec §4 "Pagination", DESIGN §5-6). Pure.
import { invalid, invalidFields, parseAll } from './errors.ts';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
/** The greatest id that PostgreSQL can hold. */
export const MAX_ID = 2n ** 63n - 1n;

export type SortOrder = 'asc' | 'desc';

/** A page by keyset on id: of the rows between `after` and `before`, the first `size`, or the last ones where `backward`. */
export interface PageRequest {
  readonly order: SortOrder;
  readonly size: number;
  /** Rows that follow this id in `order`; null is the start. The row itself need not exist any more. */
  readonly after: bigint | null;
  /** Rows that precede this id in `order`; null is the end. */
  readonly before: bigint | null;
  /** Count `size` from the end (Relay `last`); rows still come in `order`. */
  readonly backward: boolean;
  /** `more` is not needed: it is false, and not computed. */
  readonly rowsOnly?: boolean;
}

/** Rows in order, and whether more rows follow in the direction of paging. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** Parameters that would filter or sort a list. No list supports them yet. In any letter case, since clients misspell them. */
const UNSUPPORTED = /^(?:(?:filter|sort_property)(?:\[|$)|after\[)/i;

/** So many unsupported parameters are named in a refusal. */
const MAX_UNSUPPORTED = 10;

/**
 * The page that a REST query string requests. Of a repeated parameter the last one counts.
 * @throws AppError `invalid` (422) that names each bad `after`, `per_page` and `sort_order` (spec §4 rule 6), and each
 *   unsupported parameter that would select other rows (DESIGN §5).
 */
export function parsePageQuery(query: URLSearchParams): PageRequest {
  const sortOrder = query.getAll('sort_order').at(-1);
  const perPage = query.getAll('per_page').at(-1);
  const after = query.getAll('after').at(-1);
  const page = parseAll({
    order: () => (sortOrder === undefined ? 'asc' : parseSortOrder(sortOrder)),
    size: () => (perPage === undefined ? DEFAULT_PAGE_SIZE : parsePerPage(perPage)),
    after: () => (after === undefined ? null : parseAfter(after)),
    others: () => requireServed(query),
  });
  // Every page but an empty one has a link to the next (spec §4 rules 3-4), so that `more` is not needed.
  return {
    order: page.order,
    size: page.size,
    after: page.after,
    before: null,
    backward: false,
    rowsOnly: true,
  };
}

function requireServed(query: URLSearchParams): void {
  const unsupported = new Set(query.keys().filter((name) => UNSUPPORTED.test(name)));
  if (unsupported.size === 0) return;
  const errors = [...unsupported].slice(0, MAX_UNSUPPORTED).map((field) => ({
    field,
    message: `This list does not serve ${field}. To ignore it would answer other rows than those asked for.`,
  }));
  throw invalidFields(errors);
}

/** Whether the whole saved-filter list is requested: neither `after` nor `per_page` was sent (spec §4 rule 7). */
export function asksForRegistry(query: URLSearchParams): boolean {
  return !query.has('after') && !query.has('per_page');
}

/** A page of the saved-filter list, where `after=0` is the start in either direction (spec §4 rule 7). */
export function parseRegistryPageQuery(query: URLSearchParams): PageRequest {
  const page = parsePageQuery(query);
  return page.after === 0n ? { ...page, after: null } : page;
}

function parseSortOrder(text: string): SortOrder {
  if (text === 'asc' || text === 'desc') return text;
  throw invalid('sort_order', 'sort_order must be asc or desc.');
}

function parsePerPage(text: string): number {
  if (!/^\d+$/.test(text) || /^0+$/.test(text))
    throw invalid('per_page', 'per_page must be a whole number of at least 1.');
  return Math.min(Number(text), MAX_PAGE_SIZE);
}

function parseAfter(text: string): bigint {
  const id = /^\d+$/.test(text) ? toId(text) : null;
  if (id === null) throw invalid('after', 'after must be the id of the last object of the previous page.');
  return id;
}

/** Digits as a 64-bit id, leading zeros allowed; null for a larger number. */
function toId(digits: string): bigint | null {
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > 19) return null;
  const id = BigInt(significant);
  return id > MAX_ID ? null : id;
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
 * The page that connection arguments request: default 20, more than 100 gives 100 (DESIGN §6).
 * @param kind the kind of list that the cursors must be for, such as `contacts`
 * @throws AppError `invalid` that names each argument that is wrong: zero or negative sizes, `first` with `last`, a cursor of
 *   another kind of list.
 */
export function parseConnectionArgs(kind: string, args: ConnectionArgs): PageRequest {
  const { first, last, after, before } = args;
  const page = parseAll({
    first: () => requireSize('first', first),
    last: () => requireSize('last', last),
    size: () => parseConnectionSize(first, last),
    after: () => (after == null ? null : decodeCursor(kind, after, 'after')),
    before: () => (before == null ? null : decodeCursor(kind, before, 'before')),
  });
  return {
    order: args.sortOrder ?? 'asc',
    size: page.size,
    after: page.after,
    before: page.before,
    backward: last != null,
  };
}

function requireSize(field: string, size: number | null | undefined): void {
  if (size != null && size < 1) throw invalid(field, `${field} must be a whole number of at least 1.`);
}

function parseConnectionSize(first: number | null | undefined, last: number | null | undefined): number {
  if (first != null && last != null) throw invalid('last', 'Give first or last, not both.');
  return Math.min(last ?? first ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
}

/** An opaque cursor: the position of one row in lists of its kind. */
export function encodeCursor(kind: string, id: bigint): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

/** Longer than any cursor of encodeCursor. */
const MAX_CURSOR_CHARS = 100;

/** The id in a cursor. @throws AppError `invalid` for `field` when the text is not a cursor of this kind of list */
export function decodeCursor(kind: string, cursor: string, field: string): bigint {
  if (cursor.length > MAX_CURSOR_CHARS) throw invalid(field, `${field} is not a cursor of this list.`);
  const text = Buffer.from(cursor, 'base64url').toString();
  const digits = text.startsWith(`${kind}:`) ? text.slice(kind.length + 1) : '';
  const id = /^\d+$/.test(digits) ? toId(digits) : null;
  // Base64 decoding is lenient: accept only the text that encodeCursor gives.
  if (id === null || encodeCursor(kind, id) !== cursor)
    throw invalid(field, `${field} is not a cursor of this list.`);
  return id;
}
