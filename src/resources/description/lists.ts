// What the lists of a noun can be filtered and ordered by, in the form that REST and GraphQL both offer.
import { parentKeyOf } from './ancestors.ts';
import { type FieldType, isFilterable } from './field-types.ts';
import { type Field, type NounNames, referencedNoun } from './fields.ts';
import { graphqlNameOf, pluralOf } from './names.ts';
import type { Filter, Resource } from './resource.ts';
import type { Sort } from './sorts.ts';

/** A filter in the form that REST and GraphQL both offer. */
export interface FilterForm extends Required<Pick<Filter, 'description'>> {
  readonly property: string;
  readonly graphqlName: string;
  readonly unique: boolean;
  readonly type: FieldType;
  /** The noun to which its values belong, if they are ids. */
  readonly idsOf: Pick<NounNames, 'type' | 'graphqlName' | 'table'> | undefined;
  /** The only possible values; absent: any. */
  readonly values: Field['values'];
  readonly synonyms: Field['synonyms'];
  /** As in `Filter`. */
  readonly untimed: boolean;
  readonly graphqlOnly: boolean;
  /** Whether an object may have the empty text. */
  readonly mayBeEmpty: boolean;
}

/** The filters of a noun's lists by values, in the order of its description. */
export function filtersOf(
  resource: Pick<
    Resource,
    'type' | 'graphqlName' | 'table' | 'fields' | 'inputs' | 'filters' | 'parent' | 'parentKey'
  >,
): FilterForm[] {
  return Object.entries(resource.filters ?? {})
    .filter(([, { isRange }]) => isRange !== true)
    .map(([property, { unique = false, untimed = false, graphqlOnly = false, ...filter }]) => {
      const field: (Pick<Field, 'type' | 'idsOf' | 'graphqlName'> & Partial<Field>) | undefined =
        resource.fields[property] ?? resource.inputs?.[property] ?? filter.of;
      const description = filter.description ?? field?.description;
      if (description === undefined) throw new Error(`Filter ${property} has no description.`);
      const idsOf = referencedNoun(field) ?? ownIdsOf(resource, property);
      const type = idsOf !== undefined ? 'int8' : (field?.type ?? 'text');
      if (!isFilterable(type))
        throw new Error(`Filter ${property} has the type ${type}, which lists cannot filter by.`);
      const { values, synonyms, format, required } = field ?? {};
      const mayBeEmpty = type === 'text' && (values ?? format ?? required) === undefined;
      const named = graphqlNameOf(property, field);
      const graphqlName = type === 'bool' || named.endsWith('Ids') ? named : pluralOf(named);
      return {
        ...{ property, graphqlName, unique, untimed, graphqlOnly },
        ...{ type, idsOf, values, synonyms, description, mayBeEmpty },
      };
    });
}

/** The noun whose ids these are, if they are the object's own, or its parent's. */
function ownIdsOf(
  resource: Parameters<typeof filtersOf>[0],
  property: string,
): Pick<Resource, 'type' | 'graphqlName' | 'table'> | undefined {
  if (property === 'id') return resource;
  return resource.parent !== undefined && property === parentKeyOf(resource) ? resource.parent : undefined;
}

/** A filter of a noun's lists by a range of times: from the first on, and before the second. */
export interface RangeForm {
  readonly property: string;
  readonly graphqlOnly: boolean;
  readonly description: string;
}

/** The ranges of a noun's lists, if they have filters. */
export function rangesOf({ fields, filters }: Pick<Resource, 'fields' | 'filters'>): RangeForm[] {
  if (filters === undefined) return [];
  const ofAll = ['updatedAt', 'createdAt'].flatMap((property): RangeForm[] => {
    const field = fields[property];
    return field?.type === 'timestamp' && !field.nullable
      ? [{ property, graphqlOnly: false, description: field.description }]
      : [];
  });
  const own = Object.entries(filters).flatMap(([property, filter]): RangeForm[] => {
    const { isRange, graphqlOnly = false, description = fields[property]?.description ?? '' } = filter;
    return isRange === true ? [{ property, graphqlOnly, description }] : [];
  });
  return [...ofAll, ...own];
}

/**
 * The orders of a noun's lists in addition to `id`, and the order that each gives: that of ids, for objects that never change. REST takes
 * `updated_at` for these too, even where they have no such member.
 */
export function sortsOf({ sorts, unchanging, fields }: Pick<Resource, 'sorts' | 'unchanging' | 'fields'>): {
  readonly sort: Exclude<Sort, 'id'>;
  readonly gives: Sort;
}[] {
  if (!unchanging) return (sorts ?? []).map((sort) => ({ sort, gives: sort }));
  return (['createdAt', 'updatedAt'] as const)
    .filter((sort) => sort === 'updatedAt' || sort in fields)
    .map((sort) => ({ sort, gives: 'id' }));
}
