// The query of a list that can be filtered and ordered, by the description of its noun.
import { AppError } from '../errors.ts';
import { AFTER_TIME, FILTER, type PageRequest, parsePageQuery } from '../pagination.ts';
import { type FilterForm, filtersOf, type Resource, restNameOf } from '../resources/resource.ts';
import { type GivenFilters, MAX_FILTER_VALUES, parseFilters } from '../services/filters.ts';
import { pageQuery } from './lists.ts';
import type { Parameter, Query } from './route.ts';

/** What a list of the noun takes. */
export function listQuery(resource: Resource): Query<PageRequest> {
  const filters = filtersOf(resource);
  const sorts = Object.fromEntries((resource.sorts ?? []).map((sort) => [restNameOf(sort), sort]));
  const nameOf = (property: string) => `filter[${restNameOf(property, resource.fields[property])}]`;
  const properties = new Map(filters.map(({ property }) => [nameOf(property), property]));
  return {
    parameters: [
      ...pageQuery.parameters,
      ...filters.map((form) => filterParameter(form, nameOf(form.property))),
      ...(resource.sorts === undefined ? [] : sortParameters(Object.keys(sorts))),
    ],
    parse: (query) =>
      parsePageQuery(query, {
        ...(filters.length > 0 && {
          filter(text) {
            const given = givenFilters(text, properties);
            return given === null ? undefined : parseFilters(resource, given, nameOf);
          },
        }),
        ...(resource.sorts && { sorts }),
      }),
  };
}

/**
 * The filters that a query string gives; null where there are none. They would choose other rows: none is passed over.
 * @param properties by the names of the filters that there are
 * @throws AppError `bad_request` for another one, and for one that is given twice
 */
function givenFilters(query: URLSearchParams, properties: ReadonlyMap<string, string>): GivenFilters | null {
  let given: Record<string, string[]> | null = null;
  for (const [name, value] of query) {
    if (!FILTER.test(name)) continue;
    const property = properties.get(name);
    if (property === undefined)
      throw badRequest(name, `This list has no ${name}. It has ${[...properties.keys()].join(', ')}.`);
    given ??= {};
    if (given[property] !== undefined)
      throw badRequest(name, `${name} was given twice. Give its values once, with commas between them.`);
    given[property] = value.split(',', MAX_FILTER_VALUES + 1);
  }
  return given;
}

function badRequest(field: string, message: string): AppError {
  return new AppError('bad_request', message, { errors: [{ field, message }] });
}

function filterParameter({ type, description }: FilterForm, name: string): Parameter {
  const values = {
    id: 'ids, integer or public',
    text: 'texts',
    bool: '`true` or `1`, `false` or `0`',
  }[type];
  return {
    name,
    description: `Only objects that have one of these values: ${values}, at most ${MAX_FILTER_VALUES}, with commas between them. ${description}`,
    schema: { type: 'string' },
  };
}

function sortParameters(names: readonly string[]): Parameter[] {
  return [
    {
      name: 'sort_property',
      description:
        'What the list is ordered by; objects of the same time are in the order of their ids. By `updated_at`, whoever follows `Link` never misses a change; `after` alone goes on where its object is now, and may.',
      schema: { type: 'string', enum: ['id', ...names], default: 'id' },
    },
    {
      name: AFTER_TIME,
      description:
        'With `sort_property=updated_at`: the time that the object `after` had on its page, as `Link` has it. Then the object need not exist any more.',
      schema: { type: 'string', format: 'date-time' },
    },
  ];
}
