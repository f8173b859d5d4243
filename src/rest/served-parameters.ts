// The parameters that a list has. Those that it does not have are refused if they would select or order other rows; others are ignored.
import { invalidFields, quoted } from '../errors.ts';
import type { FilterValues, Selection } from '../pagination.ts';
import type { Sort } from '../resources/description/sorts.ts';

/** The REST parameters that a list supports in addition to those of every list. */
export interface ServedParameters {
  /** Reads the filters in a query string; absent: the list has no filters. */
  readonly filter?: (query: URLSearchParams) => FilterValues | undefined;
  /** Reads the saved filter in a query string; absent: the list has no saved filters. */
  readonly refinedBy?: (query: URLSearchParams) => Selection['refinedBy'];
  /** The values of `sort_property` in addition to `id`. Several values may mean the same order. */
  readonly sorts?: Readonly<Record<string, Sort>>;
}

/** Common misspellings of the parameters for a saved filter. */
const NEAR_STORED_FILTER = '(?:saved|stored|refine)[_-]?filters?(?:[_-]?ids?)?|stable[_-]?ids?';

/** Parameters that would select or sort the rows of a list, in any letter case and form, because clients misspell them. */
const UNSUPPORTED = new RegExp(
  String.raw`^(?:(?:filter|sort_?property|${NEAR_STORED_FILTER})(?:[[.]|$)|(?:filters|after|per_page|sort_order)\[)`,
  'i',
);

/** Parameters by which clients of other APIs page or ask for changes. Ignoring them would answer the same page again and again. */
const OTHER_PAGING = /^(?:updated_?since|created_?since|cursor|starting_?after)$/i;

/** Page numbers and offsets, refused unless they ask for the first page. */
const PAGE_NUMBER = /^page(?:\[(?:number)?\])?$/i;
const OFFSET = /^(?:offset|page\[offset\])$/i;

/** The most unsupported parameters that an error lists. */
const MAX_UNSUPPORTED = 10;

/** The parameters for a saved filter, in addition to `filter[refine_filter_id]`. */
export const STORED_FILTER = ['stored_filter_id', 'stable_id'];

/** The names of parameters that filter a list, in any letter case. */
export const FILTER = /^filter(?:\[|$)/i;

/**
 * Checks that the list supports all parameters that would select or order other rows.
 * @throws AppError `invalid` with each unsupported parameter
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
  const served = [...LIST_PARAMETERS, ...(sorts === undefined ? [] : ['sort_property'])];
  refuse(unsupported, (name) =>
    refinedBy !== undefined && /filter|stable/i.test(name)
      ? `Unknown parameter ${name}. Name a saved filter with filter[refine_filter_id].`
      : unknownParameter(name, served),
  );
}

/** The parameters of every list. */
const LIST_PARAMETERS = ['after', 'per_page', 'sort_order'];

/** @param known the parameters that the list has */
export function unknownParameter(name: string, known: readonly string[]): string {
  return `Unknown parameter ${name}. This list has: ${known.join(', ')}.`;
}

/**
 * Checks that no parameter requests another page, or changes, in the way of other APIs.
 * @throws AppError `invalid` with each such parameter
 */
export function requireOwnPaging(query: URLSearchParams, { sorts }: ServedParameters): void {
  const changes = sorts === undefined ? '' : ' For changes, order by sort_property=updated_at.';
  const others = [...query].filter(([name, value]) => pagesOtherwise(name, value)).map(([name]) => name);
  refuse(others, (name) => `Unknown parameter ${name}. Continue with after or the Link header.${changes}`);
}

function refuse(names: Iterable<string>, messageOf: (name: string) => string): void {
  const errors = [...new Set(names)]
    .slice(0, MAX_UNSUPPORTED)
    .map(quoted)
    .map((field) => ({ code: 'unknown_field' as const, field, message: messageOf(field) }));
  if (errors.length > 0) throw invalidFields(errors);
}

/** Whether a parameter requests another page, or changes, in a way that no list supports. */
function pagesOtherwise(name: string, value: string): boolean {
  if (OTHER_PAGING.test(name)) return true;
  return (PAGE_NUMBER.test(name) && Number(value) > 1) || (OFFSET.test(name) && Number(value) > 0);
}
