// The queries of a noun's lists: the page, the filters and the order, made from the noun's description.
import type { PageRequest } from '../pagination.ts';
import { sortsOf } from '../resources/description/lists.ts';
import { restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { isGapless, type Sort } from '../resources/description/sorts.ts';
import { filterQuery } from './list-filters.ts';
import { AFTER_TIME, AFTER_VALUE, pageQuery, parsePageQuery } from './page-query.ts';
import type { Parameter, Query } from './route.ts';

/** The query of the noun's lists. */
export function listQuery(resource: Resource): Query<PageRequest> {
  const { parameters, served } = filterQuery(resource);
  const sorts = restSortsOf(resource);
  return {
    parameters: [
      ...pageQuery.parameters,
      ...parameters,
      ...(sorts === undefined ? [] : sortParameters(resource, Object.keys(sorts))),
    ],
    parse: (query) => parsePageQuery(query, { ...served, ...(sorts && { sorts }) }),
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

/** The orders of a list other than by id, by REST name; undefined without any. */
function restSortsOf(resource: Resource): Readonly<Record<string, Sort>> | undefined {
  const sorts = sortsOf(resource);
  return sorts.length === 0
    ? undefined
    : Object.fromEntries(sorts.map(({ sort, gives }) => [restNameOf(sort, resource.fields[sort]), gives]));
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
