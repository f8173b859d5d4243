// Page rules and cursors, used by both faces (spec §4 "Pagination", DESIGN §5-6). Pure: knows no request and no store.
import { invalid } from './errors.ts';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
const MAX_ID = 2n ** 63n - 1n;

export type SortOrder = 'asc' | 'desc';

/** A page by keyset on id: the `size` rows nearest to the start (or, `backward`, to the end) of what lies between. */
export interface PageRequest {
  readonly order: SortOrder;
  readonly size: number;
  /** Rows that follow this id in `order`; null is the start. The row itself need not exist any more. */
  readonly after: bigint | null;
  /** Rows that precede this id in `order`; null is the end. */
  readonly before: bigint | null;
  /** Count `size` from the end (Relay `last`); rows still come in `order`. */
  readonly backward: boolean;
  /** Nobody asks whether there is more: `more` is false, and not worked out. */
  readonly rowsOnly?: boolean;
}

/** Rows in order, and whether more lie beyond the page's far end (the direction that was paged). */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** Names that choose or order rows on lists that serve them. None does yet. In any case: a misspelt one misleads as well. */
const UNSERVED = /^(?:(?:filter|sort_property)(?:\[|$)|after\[)/i;

/**
 * The page that a REST query asks for. Of a repeated parameter the last one counts.
 * @throws AppError `invalid` (422) for a bad `after`, `per_page` or `sort_order` (spec §4 rule 6), and for a parameter that
 *   would have chosen other rows, did the list serve it (DESIGN §5).
 */
export function parsePageQuery(query: URLSearchParams): PageRequest {
  const unserved = query.keys().find((name) => UNSERVED.test(name));
  if (unserved !== undefined)
    throw invalid(
      unserved,
      `This list does not serve ${unserved}. To ignore it would answer other rows than those asked for.`,
    );
  const sortOrder = query.getAll('sort_order').at(-1);
  const perPage = query.getAll('per_page').at(-1);
  const after = query.getAll('after').at(-1);
  return {
    order: sortOrder === undefined ? 'asc' : parseSortOrder(sortOrder),
    size: perPage === undefined ? DEFAULT_PAGE_SIZE : parsePerPage(perPage),
    after: after === undefined ? null : parseAfter(after),
    before: null,
    backward: false,
    // Every page but an empty one leads on (spec §4 rules 3-4).
    rowsOnly: true,
  };
}

/** True when a saved-filter list was asked for whole: neither `after` nor `per_page` was sent (spec §4 rule 7). */
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

/** Digits as a 64-bit id, or null when they do not fit. Leading zeros are harmless. */
function toId(digits: string): bigint | null {
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > 19) return null;
  const id = BigInt(significant);
  return id > MAX_ID ? null : id;
}

/** The arguments of a Relay connection, as GraphQL hands them over. */
export interface ConnectionArgs {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
  sortOrder?: SortOrder | null | undefined;
}

/**
 * The page that connection arguments ask for: default 20, more than 100 gives 100 (DESIGN §6).
 * @param kind what the cursors must be for, such as `contacts`
 * @throws AppError `invalid` for zero or negative sizes, `first` with `last`, or a cursor that does not belong here.
 */
export function parseConnectionArgs(kind: string, args: ConnectionArgs): PageRequest {
  const { first, last } = args;
  if (first != null && last != null) throw invalid('last', 'Give first or last, not both.');
  for (const [field, size] of [
    ['first', first],
    ['last', last],
  ] as const) {
    if (size != null && size < 1) throw invalid(field, `${field} must be a whole number of at least 1.`);
  }
  return {
    order: args.sortOrder ?? 'asc',
    size: Math.min(last ?? first ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
    after: args.after == null ? null : decodeCursor(kind, args.after, 'after'),
    before: args.before == null ? null : decodeCursor(kind, args.before, 'before'),
    backward: last != null,
  };
}

/** An opaque cursor: the position of one row in lists of its kind. */
export function encodeCursor(kind: string, id: bigint): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

/** Longer than any that encodeCursor gives. */
const MAX_CURSOR_CHARS = 100;

/** @throws AppError `invalid` blaming `field` when the text is no cursor of ours, or one of another kind of list. */
export function decodeCursor(kind: string, cursor: string, field: string): bigint {
  if (cursor.length > MAX_CURSOR_CHARS) throw invalid(field, `${field} is not a cursor of this list.`);
  const text = Buffer.from(cursor, 'base64url').toString();
  const digits = text.startsWith(`${kind}:`) ? text.slice(kind.length + 1) : '';
  const id = /^\d+$/.test(digits) ? toId(digits) : null;
  // Only the one spelling that encodeCursor gives is accepted.
  if (id === null || encodeCursor(kind, id) !== cursor)
    throw invalid(field, `${field} is not a cursor of this list.`);
  return id;
}
