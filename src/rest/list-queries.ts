// The queries of lists: the page that is asked for (spec §4 "Pagination"), and the filters and the order, made from the noun's description.
import { parseDigits, parseSortValue } from '../cursors.ts';
import {
  blaming,
  invalid,
  invalidFields,
  mustBe,
  mustBeOneOf,
  outOfRange,
  parseAll,
  quoted,
} from '../errors.ts';
import {
  DEFAULT_PAGE_SIZE,
  type FilterValues,
  MAX_PAGE_SIZE,
  type PageRequest,
  type Selection,
  type SortOrder,
} from '../pagination.ts';
import {
  type FilterForm,
  filtersOf,
  type RangeForm,
  rangesOf,
  sortsOf,
} from '../resources/description/lists.ts';
import { restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { isGapless, type Sort, type SortValue } from '../resources/description/sorts.ts';
import {
  type FilterInput,
  MAX_FILTER_VALUES,
  parseFilters,
  parseRanges,
  type RangeInput,
} from '../services/filtering/filters.ts';
import { parseRefineFilter } from '../services/filtering/refining.ts';
import { MAX_SEARCH_CHARS, MAX_SEARCH_WORDS, parseSearch } from '../services/filtering/search.ts';
import type { Parameter, Query } from './route.ts';

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

/** The query of the noun's lists. */
export function listQuery(resource: Resource): Query<PageRequest> {
  const filters = filtersOf(resource).filter(({ graphqlOnly }) => !graphqlOnly);
  const ranges = rangesOf(resource).filter(({ graphqlOnly }) => !graphqlOnly);
  const sorts = restSortsOf(resource);
  const isRefined = resource.refinedBy !== undefined;
  const isSearched = resource.search !== undefined;
  const nameOf = (property: string) => `filter[${restNameOf(property, resource.fields[property])}]`;
  const names: FilterNames = {
    all: [
      ...filters.map(({ property }) => nameOf(property)),
      ...ranges.flatMap(({ property }) => ENDS.map((end) => `${nameOf(property)}[${end}]`)),
      ...(isSearched ? [SEARCHED] : []),
      ...(isRefined ? [REFINED] : []),
    ],
    isSearched,
    ranges: new Map(
      ranges.flatMap(({ property }) =>
        ENDS.map((end) => [`${nameOf(property)}[${end}]`, { property, end }] as const),
      ),
    ),
    properties: new Map(filters.flatMap(({ property }) => namesOf(nameOf(property), property))),
  };
  return {
    parameters: [
      ...pageQuery.parameters,
      ...filters.map((form) => filterParameter(form, nameOf(form.property))),
      ...ranges.flatMap((form) => rangeParameters(form, nameOf(form.property))),
      ...(isSearched ? [SEARCH_PARAMETER] : []),
      ...(isRefined ? REFINED_PARAMETERS : []),
      ...(sorts === undefined ? [] : sortParameters(resource, Object.keys(sorts))),
    ],
    parse: (query) =>
      parsePageQuery(query, {
        ...(names.all.length > 0 && {
          filter(text) {
            const given = parseFilterParameters(text, names);
            if (given === null) return undefined;
            return {
              ...(given.search !== undefined && parseSearch(given.search, SEARCHED)),
              ...parseFilters(resource, given.values, nameOf),
              ...parseRanges(resource, given.ranges, (property, end) => `${nameOf(property)}[${end}]`),
            };
          },
        }),
        ...(isRefined && { refinedBy: parseRefineFilterParameter }),
        ...(sorts && { sorts }),
      }),
  };
}

/** The noun without the filters of its list. */
export function withoutFilters({ filters, search, refinedBy, ...resource }: Resource): Resource {
  return resource;
}

/** The noun without the search of its list. */
export function withoutSearch({ search, ...resource }: Resource): Resource {
  return resource;
}

/** The REST parameters that a list supports in addition to those of every list. */
interface ServedParameters {
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
const STORED_FILTER = ['stored_filter_id', 'stable_id'];

/** The names of parameters that filter a list, in any letter case. */
export const FILTER = /^filter(?:\[|$)/i;

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
const AFTER_TIME = 'after_updated_at';
const AFTER_VALUE = 'after_value';
/** Both. */
export const AFTER_VALUES = [AFTER_TIME, AFTER_VALUE];

/** The parameter with the value of the position `after`. */
export function afterValueName(sort: Exclude<Sort, 'id'>): string {
  return sort === 'updatedAt' ? AFTER_TIME : AFTER_VALUE;
}

function optional<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

/**
 * Checks that the list supports all parameters that would select or order other rows.
 * @throws AppError `invalid` with each unsupported parameter
 */
function requireServed(query: URLSearchParams, { filter, refinedBy, sorts }: ServedParameters = {}): void {
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
function unknownParameter(name: string, known: readonly string[]): string {
  return `Unknown parameter ${name}. This list has: ${known.join(', ')}.`;
}

/**
 * Checks that no parameter requests another page, or changes, in the way of other APIs.
 * @throws AppError `invalid` with each such parameter
 */
function requireOwnPaging(query: URLSearchParams, { sorts }: ServedParameters): void {
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

/** The filter by a saved filter. */
const REFINED = 'filter[refine_filter_id]';
/** All names of that parameter. */
const REFINED_NAMES = [REFINED, ...STORED_FILTER];

const REFINED_PARAMETERS: readonly Parameter[] = REFINED_NAMES.map((name) => ({
  name,
  description:
    name === 'stable_id'
      ? 'The same as `filter[refine_filter_id]`, but only for public ids.'
      : `Only objects that match this saved filter: its integer id or public id. Can be combined with other filters.${name === REFINED ? '' : ' The same as `filter[refine_filter_id]`.'}`,
  schema: { type: 'string' },
  ...(name !== REFINED && { deprecated: true }),
}));

/**
 * The id of the saved filter in a query string.
 * @throws AppError `invalid` for a text that is not an id, and for several different filters
 */
function parseRefineFilterParameter(query: URLSearchParams): Selection['refinedBy'] {
  const given = REFINED_NAMES.flatMap((name) =>
    query.getAll(name).map((text) => ({ name, id: parseRefineFilter(text, name, name === 'stable_id') })),
  );
  const [first, ...others] = given;
  const other = others.find(({ id }) => id !== first?.id);
  if (other !== undefined)
    throw invalid(other.name, {
      code: 'not_allowed',
      message: `names another saved filter than ${first?.name}. Give one of them`,
    });
  return first;
}

/** The orders of a list other than by id, by REST name; undefined without any. */
function restSortsOf(resource: Resource): Readonly<Record<string, Sort>> | undefined {
  const sorts = sortsOf(resource);
  return sorts.length === 0
    ? undefined
    : Object.fromEntries(sorts.map(({ sort, gives }) => [restNameOf(sort, resource.fields[sort]), gives]));
}

/** The names of a list's filters. */
interface FilterNames {
  readonly all: readonly string[];
  /** Whether the list can be searched. */
  readonly isSearched: boolean;
  /** The properties by every accepted name. */
  readonly properties: ReadonlyMap<string, string>;
  /** The ends of ranges by name. */
  readonly ranges: ReadonlyMap<string, { readonly property: string; readonly end: (typeof ENDS)[number] }>;
}

const ENDS = ['from', 'to'] as const;

/** The accepted names of a filter. A filter by several ids is also accepted in the singular: `filter[tag_id]`. */
function namesOf(name: string, property: string): [string, string][] {
  const names = name.endsWith('_ids]') ? [name, name.replace('_ids]', '_id]')] : [name];
  return names.map((one) => [one, property]);
}

/** The suffix of a parameter that is repeated for each value: `filter[id][]`, or `filter[id][0]` from PHP. */
const REPEATED = /\[\d*\]$/;

/**
 * The filters in a query string; null for none. Unknown filters are errors, since ignoring them would return other rows than requested.
 * @throws AppError `bad_request` for an unknown filter, and for a repeated one
 */
function parseFilterParameters(
  query: URLSearchParams,
  { all, isSearched, properties, ranges: ends }: FilterNames,
): { readonly values: FilterInput; readonly ranges: RangeInput; readonly search: string | undefined } | null {
  const ranges: Record<string, { from?: string; to?: string }> = {};
  let search: string | undefined;
  const given = new Map<string, { readonly form: string; readonly values: string[] }>();
  for (const [name, value] of query) {
    if (!FILTER.test(name) || (name === REFINED && all.includes(name))) continue;
    if (isSearched && name === SEARCHED) {
      if (search !== undefined)
        throw blaming('bad_request', quoted(name), {
          code: 'repeated',
          message: 'is given twice. Give it once',
        });
      search = value;
      continue;
    }
    const rangeEnd = ends.get(name);
    if (rangeEnd !== undefined) {
      const range = ranges[rangeEnd.property] ?? {};
      ranges[rangeEnd.property] = range;
      if (range[rangeEnd.end] !== undefined)
        throw blaming('bad_request', quoted(name), {
          code: 'repeated',
          message: 'is given twice. Give it once',
        });
      range[rangeEnd.end] = value;
      continue;
    }
    const filter = name.replace(REPEATED, '');
    const isOne = filter !== name;
    const property = properties.get(filter);
    if (property === undefined)
      throw blaming('bad_request', quoted(name), {
        code: 'unknown_field',
        message: unknownParameter(quoted(name), all),
      });
    const before = given.get(property);
    if (before === undefined)
      given.set(property, {
        form: isOne ? `${filter}[]` : name,
        values: isOne ? [value] : value.split(',', MAX_FILTER_VALUES + 1),
      });
    else if (before.form === `${filter}[]` && isOne) before.values.push(value);
    else
      throw blaming('bad_request', quoted(name), {
        code: 'repeated',
        message: 'is given twice. Give its values once, with commas between them',
      });
  }
  if (given.size === 0 && Object.keys(ranges).length === 0 && search === undefined) return null;
  const values = Object.fromEntries(given.entries().map(([property, { values }]) => [property, values]));
  return { values, ranges, search };
}

/** The parameter for a search. Its value is one text: a comma does not split it. */
const SEARCHED = 'filter[search]';

const SEARCH_PARAMETER: Parameter = {
  name: SEARCHED,
  description: `Only objects with all of these words, which white space separates: at most ${MAX_SEARCH_WORDS} words, and ${MAX_SEARCH_CHARS} characters. A word matches any part of a word of the object, or its beginning if it has one or two characters. Letter case and accents are ignored. An extension of this service.`,
  schema: { type: 'string', maxLength: MAX_SEARCH_CHARS },
};

function filterParameter({ type, idsOf, description }: FilterForm, name: string): Parameter {
  const bools = type === 'bool' ? '`true` or `1`, `false` or `0`' : 'texts';
  const values = idsOf === undefined ? bools : 'integer ids or public ids';
  return {
    name,
    description: `Only objects that have one of these values: ${values}. At most ${MAX_FILTER_VALUES} values, separated by commas, or one per parameter with \`[]\` after the name. ${description}`,
    schema: { type: 'string' },
  };
}

function rangeParameters({ property, description }: RangeForm, name: string): Parameter[] {
  // Every noun has these times, and they mean the same: one parameter for all lists.
  const meaning = ['createdAt', 'updatedAt'].includes(property) ? '' : ` ${description}`;
  return ENDS.map((end) => ({
    name: `${name}[${end}]`,
    description: `Only objects with this time ${end === 'from' ? 'at or after' : 'before'} a time such as 2026-01-31T09:30:00Z, or the start of a day in UTC.${meaning}`,
    schema: { type: 'string' },
  }));
}

function sortParameters(resource: Resource, names: readonly string[]): Parameter[] {
  const property = (description: string): Parameter => ({
    name: 'sort_property',
    description,
    schema: { type: 'string', enum: ['id', ...names], default: 'id' },
  });
  if (resource.unchanging)
    return [
      property(
        'The order of the list. These objects never change, so every value gives the same order as `id`: the order of creation.',
      ),
    ];
  const sorts = sortsOf(resource);
  const others = sorts.filter(({ sort }) => !isGapless(sort));
  return [
    property(
      `The order of the list. Objects with the same value are ordered by id; text is compared ignoring letter case, and objects without a value come first. With \`updated_at\`, a client that follows \`Link\` never misses a change. A client that sends only \`after\` may miss changes, because the list then continues at the current position of that object.${others.length === 0 ? '' : ` In the orders by ${others.map(({ sort }) => `\`${restNameOf(sort, resource.fields[sort])}\``).join(', ')}, a list that is read while objects are added may miss some of them. ${OURS}`}`,
    ),
    ...(sorts.some(({ sort }) => sort === 'updatedAt')
      ? [
          {
            name: AFTER_TIME,
            description:
              'With `sort_property=updated_at`: the `updated_at` of the object `after` on its page, as in `Link`. With it, the list continues correctly even if that object was deleted.',
            schema: { type: 'string', format: 'date-time' },
          },
        ]
      : []),
    ...(others.length === 0
      ? []
      : [
          {
            name: AFTER_VALUE,
            description:
              'With any other `sort_property` than `id` and `updated_at`: its value of the object `after` on its page, as in `Link`. With it, the list continues correctly even if that object was changed or deleted.',
            schema: { type: 'string' },
          },
        ]),
  ];
}

/** Marks what the public API does not have. */
const OURS = 'The public API does not have these.';
