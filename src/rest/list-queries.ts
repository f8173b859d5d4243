// The query of a list with filters and order, made from the noun's description.
import { blaming, invalid } from '../errors.ts';
import {
  AFTER_TIME,
  FILTER,
  type PageRequest,
  parsePageQuery,
  type Selection,
  STORED_FILTER,
} from '../pagination.ts';
import {
  type FilterForm,
  filtersOf,
  type RangeForm,
  type Resource,
  rangesOf,
  restNameOf,
  type Sort,
} from '../resources/resource.ts';
import {
  type GivenFilters,
  type GivenRanges,
  MAX_FILTER_VALUES,
  parseFilters,
  parseRanges,
} from '../services/filtering/filters.ts';
import { parseRefineFilter } from '../services/filtering/refining.ts';
import { pageQuery } from './lists.ts';
import type { Parameter, Query } from './route.ts';

/** The query of the noun's lists. */
export function listQuery(resource: Resource): Query<PageRequest> {
  const filters = filtersOf(resource);
  const ranges = rangesOf(resource);
  const sorts = sortsOf(resource);
  const isRefined = resource.refinedBy !== undefined;
  const nameOf = (property: string) => `filter[${restNameOf(property, resource.fields[property])}]`;
  const names: FilterNames = {
    all: [
      ...filters.map(({ property }) => nameOf(property)),
      ...ranges.flatMap(({ property }) => ENDS.map((end) => `${nameOf(property)}[${end}]`)),
      ...(isRefined ? [REFINED] : []),
    ],
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
export function withoutFilters({ filters, refinedBy, ...resource }: Resource): Resource {
  return resource;
}

/** The filter by a saved filter. */
const REFINED = 'filter[refine_filter_id]';
/** All names of that parameter. */
const REFINED_NAMES = [REFINED, ...STORED_FILTER];

const REFINED_PARAMETERS: readonly Parameter[] = REFINED_NAMES.map((name) => ({
  name,
  description:
    name === 'stable_id'
      ? 'The same as `filter[refine_filter_id]`, for the public id alone.'
      : `Only objects that match this saved filter: its id, integer or public. It is combined with other filters.${name === REFINED ? '' : ' The same as `filter[refine_filter_id]`.'}`,
  schema: { type: 'string' },
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
      message: `names another saved filter than ${first?.name}`,
    });
  return first;
}

/** The orders of a list other than by id, by REST name; undefined without any. */
function sortsOf({ sorts, unchanging }: Resource): Readonly<Record<string, Sort>> | undefined {
  if (unchanging) return { [restNameOf('updatedAt')]: 'id' };
  return sorts && Object.fromEntries(sorts.map((sort) => [restNameOf(sort), sort]));
}

/** The names of a list's filters. */
interface FilterNames {
  readonly all: readonly string[];
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
  { all, properties, ranges: ends }: FilterNames,
): { readonly values: GivenFilters; readonly ranges: GivenRanges } | null {
  const ranges: Record<string, { from?: string; to?: string }> = {};
  const given = new Map<string, { readonly form: string; readonly values: string[] }>();
  for (const [name, value] of query) {
    if (!FILTER.test(name) || (name === REFINED && all.includes(name))) continue;
    const rangeEnd = ends.get(name);
    if (rangeEnd !== undefined) {
      const range = ranges[rangeEnd.property] ?? {};
      ranges[rangeEnd.property] = range;
      if (range[rangeEnd.end] !== undefined)
        throw blaming('bad_request', name, { code: 'repeated', message: 'was given twice' });
      range[rangeEnd.end] = value;
      continue;
    }
    const filter = name.replace(REPEATED, '');
    const isOne = filter !== name;
    const property = properties.get(filter);
    if (property === undefined)
      throw blaming('bad_request', name, {
        code: 'unknown_field',
        message: `This list has no ${name}. It has ${all.join(', ')}.`,
      });
    const before = given.get(property);
    if (before === undefined)
      given.set(property, {
        form: isOne ? `${filter}[]` : name,
        values: isOne ? [value] : value.split(',', MAX_FILTER_VALUES + 1),
      });
    else if (before.form === `${filter}[]` && isOne) before.values.push(value);
    else
      throw blaming('bad_request', name, {
        code: 'repeated',
        message: 'was given twice. Give its values once, with commas between them',
      });
  }
  if (given.size === 0 && Object.keys(ranges).length === 0) return null;
  const values = Object.fromEntries(given.entries().map(([property, { values }]) => [property, values]));
  return { values, ranges };
}

function filterParameter({ type, idsOf, description }: FilterForm, name: string): Parameter {
  const bools = type === 'bool' ? '`true` or `1`, `false` or `0`' : 'texts';
  const values = idsOf === undefined ? bools : 'ids, integer or public';
  return {
    name,
    description: `Only objects that have one of these values: ${values}. At most ${MAX_FILTER_VALUES} values, separated by commas, or one per parameter with \`[]\` after the name. ${description}`,
    schema: { type: 'string' },
  };
}

function rangeParameters({ description }: RangeForm, name: string): Parameter[] {
  return ENDS.map((end) => ({
    name: `${name}[${end}]`,
    description: `Only objects of which this is ${end === 'from' ? 'at or after' : 'before'} a time such as 2026-01-31T09:30:00Z, or the start of a day in UTC. ${description}`,
    schema: { type: 'string' },
  }));
}

function sortParameters({ unchanging }: Resource, names: readonly string[]): Parameter[] {
  const property = (description: string): Parameter => ({
    name: 'sort_property',
    description,
    schema: { type: 'string', enum: ['id', ...names], default: 'id' },
  });
  if (unchanging)
    return [
      property(
        'What the list is ordered by. These objects never change, so `updated_at` gives the same order as `id`: the order of creation.',
      ),
    ];
  return [
    property(
      'What the list is ordered by. Objects with the same time are ordered by id. With `updated_at`, a client that follows `Link` never misses a change. A client that sends only `after` may miss changes, because the list then continues at the current position of that object.',
    ),
    {
      name: AFTER_TIME,
      description:
        'With `sort_property=updated_at`: the `updated_at` that the object `after` had on its page, as in `Link`. With it, the object may have been deleted since.',
      schema: { type: 'string', format: 'date-time' },
    },
  ];
}
