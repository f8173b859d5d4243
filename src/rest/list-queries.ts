// The query of a list that can be filtered and ordered, by the description of its noun.
import { AppError } from '../errors.ts';
import { AFTER_TIME, FILTER, type PageRequest, parsePageQuery } from '../pagination.ts';
import { type FilterForm, filtersOf, type Resource, restNameOf, type Sort } from '../resources/resource.ts';
import { type GivenFilters, MAX_FILTER_VALUES, parseFilters } from '../services/filters.ts';
import { pageQuery } from './lists.ts';
import type { Parameter, Query } from './route.ts';

/** What a list of the noun takes. */
export function listQuery(resource: Resource): Query<PageRequest> {
  const filters = filtersOf(resource);
  const sorts = sortsOf(resource);
  const nameOf = (property: string) => `filter[${restNameOf(property, resource.fields[property])}]`;
  const names: FilterNames = {
    shown: filters.map(({ property }) => nameOf(property)),
    properties: new Map(filters.flatMap(({ property }) => namesOf(nameOf(property), property))),
  };
  return {
    parameters: [
      ...pageQuery.parameters,
      ...filters.map((form) => filterParameter(form, nameOf(form.property))),
      ...(sorts === undefined ? [] : sortParameters(resource, Object.keys(sorts))),
    ],
    parse: (query) =>
      parsePageQuery(query, {
        ...(filters.length > 0 && {
          filter(text) {
            const given = givenFilters(text, names);
            return given === null ? undefined : parseFilters(resource, given, nameOf);
          },
        }),
        ...(sorts && { sorts }),
      }),
  };
}

/** What a list can be ordered by besides ids, by the names that REST has for it; absent: nothing. */
function sortsOf({ sorts, unchanging }: Resource): Readonly<Record<string, Sort>> | undefined {
  if (unchanging) return { [restNameOf('updatedAt')]: 'id' };
  return sorts && Object.fromEntries(sorts.map((sort) => [restNameOf(sort), sort]));
}

/** The names of the filters that there are. */
interface FilterNames {
  readonly shown: readonly string[];
  /** The properties by every name that is taken. */
  readonly properties: ReadonlyMap<string, string>;
}

/** A filter by the ids of what there may be several of is taken by the name of one too: `filter[tag_id]`. */
function namesOf(name: string, property: string): [string, string][] {
  const names = name.endsWith('_ids]') ? [name, name.replace('_ids]', '_id]')] : [name];
  return names.map((one) => [one, property]);
}

/** That values are given one by one, each in a parameter of this name: `filter[id][]`. */
const ONE_BY_ONE = '[]';

/**
 * The filters that a query string gives; null where there are none. They would choose other rows: none is passed over.
 * @throws AppError `bad_request` for another one, and for one that is given twice
 */
function givenFilters(query: URLSearchParams, { shown, properties }: FilterNames): GivenFilters | null {
  const given = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const [name, value] of query) {
    if (!FILTER.test(name)) continue;
    const isOne = name.endsWith(ONE_BY_ONE);
    const property = properties.get(isOne ? name.slice(0, -ONE_BY_ONE.length) : name);
    if (property === undefined)
      throw badRequest(name, `This list has no ${name}. It has ${shown.join(', ')}.`);
    const before = given.get(property);
    if (before === undefined)
      given.set(property, { name, values: isOne ? [value] : value.split(',', MAX_FILTER_VALUES + 1) });
    else if (isOne && before.name === name) before.values.push(value);
    else throw badRequest(name, `${name} was given twice. Give its values once, with commas between them.`);
  }
  if (given.size === 0) return null;
  return Object.fromEntries(given.entries().map(([property, { values }]) => [property, values]));
}

function badRequest(field: string, message: string): AppError {
  return new AppError('bad_request', message, { errors: [{ field, message }] });
}

function filterParameter({ type, idsOf, description }: FilterForm, name: string): Parameter {
  const bools = type === 'bool' ? '`true` or `1`, `false` or `0`' : 'texts';
  const values = idsOf === undefined ? bools : 'ids, integer or public';
  return {
    name,
    description: `Only objects that have one of these values: ${values}, at most ${MAX_FILTER_VALUES}, with commas between them, or one by one with \`[]\` behind the name. ${description}`,
    schema: { type: 'string' },
  };
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
        'What the list is ordered by. These objects are never changed: by `updated_at` they are in the order in which they came, which is that of their ids.',
      ),
    ];
  return [
    property(
      'What the list is ordered by; objects of the same time are in the order of their ids. By `updated_at`, whoever follows `Link` never misses a change; `after` alone goes on where its object is now, and may.',
    ),
    {
      name: AFTER_TIME,
      description:
        'With `sort_property=updated_at`: the time that the object `after` had on its page, as `Link` has it. Then the object need not exist any more.',
      schema: { type: 'string', format: 'date-time' },
    },
  ];
}
