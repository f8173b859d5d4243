// The arguments of connections: where a page begins and how long it is, and what its list is filtered and ordered by, whose input
// types are made from the description of the noun.
import type { InputFieldMap } from '@pothos/core';
import { invalid } from '../errors.ts';
import {
  type ConnectionArgs,
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  type PageRequest,
  parseConnectionArgs,
  type Selection,
  type SortOrder,
} from '../pagination.ts';
import { type FilterForm, filtersOf, type Resource, type Sort } from '../resources/resource.ts';
import { type GivenFilters, MAX_FILTER_VALUES, parseFilters } from '../services/filters.ts';
import { builder, type Types } from './builder.ts';
import { decodeGlobalId } from './nodes.ts';

/** The arguments of a connection, as far as its noun has them. */
export interface ListArgs extends ConnectionArgs {
  filter?: Readonly<Record<string, boolean | readonly string[] | null>> | null | undefined;
  orderBy?: { field: Sort; direction?: SortOrder | null } | null | undefined;
}

const SortOrderType = builder.enumType('SortOrder', {
  description:
    'The direction of a list. Unless it is ordered by something else, a list is ordered by `databaseId`, which follows the order of creation.',
  values: {
    ASC: { value: 'asc', description: 'The oldest objects come first.' },
    DESC: { value: 'desc', description: 'The newest objects come first.' },
  },
});

/** The arguments that every connection takes. */
const connectionArgs = builder.args((t) => ({
  first: t.int({
    description: `How many objects to return from the start: at least 1. Without first and last it is ${DEFAULT_PAGE_SIZE}; more than ${MAX_PAGE_SIZE} gives ${MAX_PAGE_SIZE}.`,
  }),
  last: t.int({
    description: `How many objects to return from the end: at least 1; more than ${MAX_PAGE_SIZE} gives ${MAX_PAGE_SIZE}. Not together with first.`,
  }),
  after: t.string({
    description:
      'Only objects that follow this cursor, in the sort order. It works even after its object was deleted.',
  }),
  before: t.string({
    description:
      'Only objects that precede this cursor, in the sort order. It works even after its object was deleted.',
  }),
  sortOrder: t.field({
    type: SortOrderType,
    defaultValue: 'asc',
    description: 'The direction of the list. All other arguments follow it.',
  }),
}));

type Described = Pick<Resource, 'type' | 'table' | 'fields' | 'filters' | 'sorts'>;

/** The arguments of a connection of a noun's objects. */
export function listArguments(resource: Described): typeof connectionArgs {
  const filter = filterType(resource);
  const orderBy = orderType(resource);
  const more = builder.args((t) => ({
    ...(filter && { filter: t.field({ type: filter, description: 'Only objects that this applies to.' }) }),
    ...(orderBy && {
      orderBy: t.field({ type: orderBy, description: 'What the list is ordered by. Without it that is ID.' }),
      // Without a default, so that a direction that was given can be told from one that was not.
      sortOrder: t.field({
        type: SortOrderType,
        description:
          'The direction of the list: ASC unless it is given here or in orderBy. All other arguments follow it.',
      }),
    }),
  }));
  return { ...connectionArgs, ...more };
}

type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;

/** One of a filter's values is true or false; of the others there may be several. */
function filterField(t: InputBuilder, form: FilterForm) {
  const description = describe(form);
  if (form.idsOf !== undefined) return t.idList({ description });
  return form.type === 'bool' ? t.boolean({ description }) : t.stringList({ description });
}

function filterType(resource: Described) {
  const { type } = resource;
  const forms = filtersOf(resource);
  if (forms.length === 0) return undefined;
  return builder.inputType(`${type}Filter`, {
    description:
      'What objects must have: of each field that is given, one of its values. Null is as if it were not given.',
    fields: (t): InputFieldMap =>
      Object.fromEntries(forms.map((form) => [form.property, filterField(t, form)])),
  });
}

function describe({ type, idsOf, description }: FilterForm): string {
  if (type === 'bool') return description;
  const kind =
    idsOf === undefined ? '' : `: global ids of the type ${idsOf.type}, integer ids, or public ids`;
  return `Any of at most ${MAX_FILTER_VALUES} values${kind}. ${description}`;
}

function orderType({ type, sorts }: Described) {
  if (sorts === undefined) return undefined;
  const field = builder.enumType(`${type}OrderField`, {
    description: 'What a list is ordered by. Objects of the same time are in the order of their databaseId.',
    values: {
      ID: { value: 'id', description: 'The databaseId, which follows the order of creation.' },
      ...(sorts.includes('updatedAt') && {
        UPDATED_AT: {
          value: 'updatedAt',
          description: 'When it was last changed. Whoever follows the cursors never misses a change.',
        },
      }),
    } as const,
  });
  return builder.inputType(`${type}Order`, {
    description: 'What a list is ordered by, and in which direction.',
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'What it is ordered by.' }),
      direction: t.field({
        type: SortOrderType,
        description: 'The direction: the same as sortOrder, where both are given.',
      }),
    }),
  });
}

/**
 * The page that a connection's arguments request.
 * @throws AppError `invalid` that names the arguments that are wrong
 */
export function parseListArgs(resource: Described, args: ListArgs): PageRequest {
  const { sortOrder, orderBy } = args;
  const direction = orderBy?.direction ?? sortOrder;
  if (sortOrder != null && direction !== sortOrder)
    throw invalid(
      'sortOrder',
      'sortOrder and the direction of orderBy contradict each other: give one of them.',
    );
  return parseConnectionArgs(
    resource.table,
    { ...args, sortOrder: direction },
    parseSelection(resource, args),
  );
}

/** What a connection's rows are, whatever its page. */
export function parseSelection(resource: Described, { filter, orderBy }: ListArgs): Selection {
  return {
    ...(orderBy != null && orderBy.field !== 'id' && { sort: orderBy.field }),
    ...(filter != null && {
      filter: parseFilters(resource, toGiven(resource, filter), (property) => `filter.${property}`),
    }),
  };
}

/** A text that identifies what `parseSelection` gives. */
export function selectionKey({ filter, orderBy }: ListArgs): string {
  return filter == null && orderBy == null ? '' : JSON.stringify([filter, orderBy]);
}

function toGiven(resource: Described, filter: NonNullable<ListArgs['filter']>): GivenFilters {
  return Object.fromEntries(
    filtersOf(resource).map(({ property, idsOf }) => {
      const values = filter[property] ?? undefined;
      const given = typeof values === 'boolean' ? [values] : values;
      return [
        property,
        idsOf === undefined ? given : given?.map((value) => toRef(idsOf.type, String(value))),
      ];
    }),
  );
}

/** The id that a global id has in it; other text as it is, and nothing for the id of another type. */
function toRef(type: string, text: string): string {
  const decoded = decodeGlobalId(text);
  if (decoded === null) return text;
  return decoded.typeName === type ? String(decoded.id) : '';
}
