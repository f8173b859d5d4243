// The filters in the query of a list: `filter[name]`, ranges of times, the search, and a saved filter.
import { type AppError, blaming, invalid, quoted } from '../errors.ts';
import type { Selection } from '../pagination.ts';
import { type FilterForm, filtersOf, type RangeForm, rangesOf } from '../resources/description/lists.ts';
import { restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import {
  type FilterInput,
  MAX_FILTER_VALUES,
  parseFilters,
  parseRanges,
  type RangeInput,
} from '../services/filtering/filters.ts';
import { parseRefineFilter } from '../services/filtering/refining.ts';
import { MAX_SEARCH_CHARS, MAX_SEARCH_WORDS, parseSearch } from '../services/filtering/search.ts';
import type { Parameter } from './route.ts';
import { FILTER, type ServedParameters, STORED_FILTER, unknownParameter } from './served-parameters.ts';

/** The filters that a noun's lists have: their parameters, and how a query with them is read. */
export function filterQuery(resource: Resource): {
  readonly parameters: readonly Parameter[];
  readonly served: Pick<ServedParameters, 'filter' | 'refinedBy'>;
} {
  const filters = filtersOf(resource).filter(({ graphqlOnly }) => !graphqlOnly);
  const ranges = rangesOf(resource).filter(({ graphqlOnly }) => !graphqlOnly);
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
  const parse = (query: URLSearchParams) => {
    const given = parseFilterParameters(query, names);
    if (given === null) return undefined;
    return {
      ...(given.search !== undefined && parseSearch(given.search, SEARCHED)),
      ...parseFilters(resource, given.values, nameOf),
      ...parseRanges(resource, given.ranges, (property, end) => `${nameOf(property)}[${end}]`),
    };
  };
  return {
    parameters: [
      ...filters.map((form) => filterParameter(form, nameOf(form.property))),
      ...ranges.flatMap((form) => rangeParameters(form, nameOf(form.property))),
      ...(isSearched ? [SEARCH_PARAMETER] : []),
      ...(isRefined ? REFINED_PARAMETERS : []),
    ],
    served: {
      ...(names.all.length > 0 && { filter: parse }),
      ...(isRefined && { refinedBy: parseRefineFilterParameter }),
    },
  };
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
      if (search !== undefined) throw repeated(name, 'Give it once');
      search = value;
      continue;
    }
    const rangeEnd = ends.get(name);
    if (rangeEnd !== undefined) {
      const range = ranges[rangeEnd.property] ?? {};
      ranges[rangeEnd.property] = range;
      if (range[rangeEnd.end] !== undefined) throw repeated(name, 'Give it once');
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
    else throw repeated(name, 'Give its values once, with commas between them');
  }
  if (given.size === 0 && Object.keys(ranges).length === 0 && search === undefined) return null;
  const values = Object.fromEntries(given.entries().map(([property, { values }]) => [property, values]));
  return { values, ranges, search };
}

function repeated(name: string, advice: string): AppError {
  return blaming('bad_request', quoted(name), { code: 'repeated', message: `is given twice. ${advice}` });
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
