// The arguments of connections: page, filter and order. The input types for filter and order are made from the noun's description.
import type { InputFieldMap } from '@pothos/core';
import {
  type ConnectionArgs,
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  type PageRequest,
  parseConnectionArgs,
  type Selection,
  type SortOrder,
} from '../pagination.ts';
import { type FilterForm, filtersOf, rangesOf, sortsOf } from '../resources/description/lists.ts';
import { graphqlTypeNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { isGapless, type Sort } from '../resources/description/sorts.ts';
import { type Criterion, MAX_CRITERIA, refineFilter } from '../resources/refine-filters.ts';
import {
  type FilterInput,
  MAX_FILTER_VALUES,
  parseFilters,
  parseRanges,
  type RangeInput,
} from '../services/filtering/filters.ts';
import { MAX_SEARCH_CHARS, MAX_SEARCH_WORDS, parseSearch } from '../services/filtering/search.ts';
import { builder, defineOnce, type Types } from './builder.ts';
import { closedSetOf, defineEnum, withEnumNames } from './closed-sets.ts';
import { CRITERION_FORMS, FilterCriterionInput, toCriterion } from './criteria.ts';
import { parseGlobalId } from './global-ids.ts';
import { type TimeRange, TimeRangeInput } from './time-ranges.ts';

/** The arguments of a connection. Which of them exist depends on the noun. */
export interface ListArgs extends ConnectionArgs {
  filter?: Readonly<Record<string, boolean | readonly string[] | TimeRange | null>> | null | undefined;
  orderBy?: { field: Sort; direction: SortOrder } | null | undefined;
  savedFilterId?: string | null | undefined;
  criteria?: readonly Readonly<Record<string, unknown>>[] | null | undefined;
  search?: string | null | undefined;
}

/** The arguments of every connection for its page. */
export const pageArguments = builder.args((t) => ({
  first: t.int({
    description: `By default ${DEFAULT_PAGE_SIZE}, at most ${MAX_PAGE_SIZE}.`,
  }),
  last: t.int({
    description: 'From the end, in place of `first`.',
  }),
  after: t.string({
    description: 'Only objects after this cursor.',
  }),
  before: t.string({
    description: 'Only objects before this cursor.',
  }),
}));

type Described = Pick<
  Resource,
  | 'type'
  | 'graphqlName'
  | 'table'
  | 'fields'
  | 'inputs'
  | 'filters'
  | 'search'
  | 'sorts'
  | 'unchanging'
  | 'refinedBy'
  | 'parent'
  | 'parentKey'
>;

/** The arguments of a connection of a noun's objects. */
export function listArguments(resource: Described): typeof pageArguments {
  const filter = filterType(resource);
  const orderBy = orderType(resource);
  const more = builder.args((t) => ({
    ...(resource.refinedBy !== undefined && {
      savedFilterId: t.id({
        description:
          'Only objects that also match this saved filter. A filter that no index supports and that few objects match may be refused.',
      }),
      criteria: t.field({
        type: [FilterCriterionInput],
        description: `Only objects that also match all of these conditions, at most ${MAX_CRITERIA}: what a saved filter stores. Conditions that no index supports and that few objects match may be refused.`,
      }),
    }),
    ...(resource.search !== undefined && {
      search: t.string({
        description: `Only objects with all of these words, which white space separates: at most ${MAX_SEARCH_WORDS} words, and ${MAX_SEARCH_CHARS} characters. A word matches any part of a word of the object, or its beginning if it has one or two characters. Letter case and accents are ignored.`,
      }),
    }),
    ...(filter && { filter: t.field({ type: filter, description: 'Only objects that match this filter.' }) }),
    orderBy: t.field({
      type: orderBy,
      description: 'The order: by default `ID`, ascending.',
    }),
  }));
  return { ...pageArguments, ...more };
}

type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;

/** The input field of a filter: a list of values, or one boolean. */
function filterField(t: InputBuilder, form: FilterForm) {
  const description = describe(form);
  if (form.idsOf !== undefined) return t.idList({ description });
  const { ref } = closedSetOf(form) ?? {};
  if (ref !== undefined) return t.field({ type: [ref], description });
  if (form.type === 'int4') return t.intList({ description });
  return form.type === 'bool' ? t.boolean({ description }) : t.stringList({ description });
}

function filterType(resource: Described) {
  const forms = filtersOf(resource);
  const ranges = rangesOf(resource);
  if (forms.length + ranges.length === 0) return undefined;
  const name = `${graphqlTypeNameOf(resource)}Filter`;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description:
        'All members must hold: a list for any of its values, an empty list for nothing. Null counts as missing.',
      fields: (t): InputFieldMap =>
        Object.fromEntries([
          ...forms.map((form) => [form.graphqlName, filterField(t, form)] as const),
          ...ranges.map(
            ({ property, description }) =>
              [
                property,
                t.field({
                  type: TimeRangeInput,
                  description: `Only objects with this time in the range. ${description}`,
                }),
              ] as const,
          ),
        ]),
    }),
  );
}

function describe({ idsOf, ...form }: FilterForm): string {
  const { type, description } = withEnumNames(form);
  if (type === 'bool') return description;
  if (idsOf !== undefined)
    return `One of at most ${MAX_FILTER_VALUES} objects of the type ${graphqlTypeNameOf(idsOf)}.`;
  return `One of at most ${MAX_FILTER_VALUES} values. ${description}`;
}

const SortDirection = defineEnum('SortDirection', 'The direction of a list.', {
  asc: 'The smallest value comes first, or the oldest object.',
  desc: 'The greatest value comes first, or the newest object.',
});

/** The names of the types that nouns share, by the orders other than ID. */
const SHARED_ORDERS: Readonly<Record<string, string>> = {
  '': 'IdOrder',
  createdAt: 'CreatedOrder',
  'createdAt updatedAt': 'ListOrder',
  'createdAt updatedAt name': 'NamedListOrder',
  'createdAt updatedAt position': 'OrderedListOrder',
};

/** The input type for the order of a noun's lists. Nouns with the same orders share one, so that a client can pass it on. */
function orderType(resource: Described) {
  const sorts = sortsOf(resource).map(({ sort }) => sort);
  const name = SHARED_ORDERS[sorts.join(' ')] ?? `${graphqlTypeNameOf(resource)}ListOrder`;
  return defineOnce(name, () => defineOrder(name, sorts));
}

/** The orders other than ID, by property: GraphQL's name, and what it means. */
const SORTS: Readonly<Record<Exclude<Sort, 'id'>, readonly [name: string, description: string]>> = {
  createdAt: ['CREATED_AT', 'The time of creation.'],
  updatedAt: [
    'UPDATED_AT',
    'The time of the last change. A client that follows the cursors never misses a change.',
  ],
  publishedAt: ['PUBLISHED_AT', 'The time of publication. Objects without one come first.'],
  name: ['NAME', 'The name, ignoring letter case. Objects without one come first.'],
  emailAddress: [
    'EMAIL_ADDRESS',
    'The e-mail address, ignoring letter case. Objects without one come first.',
  ],
  orderNumber: ['NUMBER', 'The number.'],
  totalAmount: ['TOTAL_AMOUNT', 'The total amount, whatever its currency is.'],
  position: ['POSITION', 'The position below the parent. The smallest comes first.'],
  sortOrder: [
    'POSITION',
    'The position below the parent. The smallest comes first, after objects without one.',
  ],
};

/** Said of the orders that may skip a row (`isGapless`). */
const MAY_SKIP = 'An object that is added while a client follows the cursors may be missed.';

function defineOrder(name: string, sorts: readonly Exclude<Sort, 'id'>[]) {
  const field = builder.enumType(`${name}Field`, {
    description: 'The orders of a list. Objects with the same value are ordered by databaseId.',
    values: {
      ID: { value: 'id', description: 'The databaseId, which follows the order of creation.' },
      ...Object.fromEntries(
        sorts.map((sort) => {
          const [value, description] = SORTS[sort];
          return [
            value,
            { value: sort, description: isGapless(sort) ? description : `${description} ${MAY_SKIP}` },
          ];
        }),
      ),
    } as Readonly<Record<string, { value: Sort; description: string }>>,
  });
  return builder.inputType(name, {
    description: 'The order of a list, and its direction.',
    fields: (t) => ({
      field: t.field({
        type: field,
        required: true,
        defaultValue: 'id',
        description: 'What the list is ordered by.',
      }),
      direction: t.field({
        type: SortDirection,
        required: true,
        defaultValue: 'asc',
        description: 'The direction of the list.',
      }),
    }),
  });
}

/**
 * The page that a connection's arguments request.
 * @throws AppError `invalid` with the names of the wrong arguments
 */
export function parseListArgs(resource: Described, args: ListArgs): PageRequest {
  return parseConnectionArgs(resource.table, args, args.orderBy?.direction, parseSelection(resource, args));
}

/** The filter and order of a connection, without its page. */
export function parseSelection(
  resource: Described,
  { filter, orderBy, savedFilterId, criteria, search }: ListArgs,
): Selection {
  const name = 'savedFilterId';
  const searched = search == null ? {} : parseSearch(search, 'search');
  const isSearched = Object.keys(searched).length > 0;
  const sort = sortsOf(resource).find((one) => one.sort === orderBy?.field)?.gives ?? 'id';
  const filterName = (property: string) =>
    `filter.${filtersOf(resource).find((form) => form.property === property)?.graphqlName ?? property}`;
  return {
    ...(savedFilterId != null && {
      refinedBy: { name, id: parseGlobalId({ name: graphqlTypeNameOf(refineFilter) }, savedFilterId, name) },
    }),
    ...(criteria != null && {
      criteria: {
        given: criteria.map((one, index) => toCriterion(one, `criteria[${index}]`) as unknown as Criterion),
        forms: CRITERION_FORMS,
      },
    }),
    ...(sort !== 'id' && { sort }),
    ...((filter != null || isSearched) && {
      filter: {
        ...searched,
        ...(filter != null && {
          ...parseFilters(resource, toFilters(resource, filter), filterName),
          ...parseRanges(
            resource,
            toRanges(resource, filter),
            (property, end) => `filter.${property}.${end}`,
          ),
        }),
      },
    }),
  };
}

/** A key for the result of `parseSelection`. */
export function selectionKey({ filter, orderBy, savedFilterId, criteria, search }: ListArgs): string {
  return filter == null && orderBy == null && savedFilterId == null && criteria == null && search == null
    ? ''
    : JSON.stringify([filter, orderBy, savedFilterId, criteria, search]);
}

function toFilters(resource: Described, filter: NonNullable<ListArgs['filter']>): FilterInput {
  return Object.fromEntries(
    filtersOf(resource).map(({ property, graphqlName, idsOf }) => {
      const values = (filter[graphqlName] ?? undefined) as boolean | readonly string[] | undefined;
      const given = typeof values === 'boolean' ? [values] : values;
      if (idsOf === undefined) return [property, given];
      const type = { name: graphqlTypeNameOf(idsOf) };
      const toId = (value: unknown) => String(parseGlobalId(type, String(value), `filter.${graphqlName}`));
      return [property, given?.map(toId)];
    }),
  );
}

function toRanges(resource: Described, filter: NonNullable<ListArgs['filter']>): RangeInput {
  return Object.fromEntries(
    rangesOf(resource).map(({ property }) => {
      const { from, to } = (filter[property] ?? {}) as TimeRange;
      return [property, { from: from ?? undefined, to: to ?? undefined }];
    }),
  );
}
