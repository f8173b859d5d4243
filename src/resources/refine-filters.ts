// The saved filter (spec §2 "Refine filter").
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import type { Form } from './description/field-types.ts';
import type { Fields, NounNames, RowOf } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { FILTER_CLASSES, type Words } from './refine-words.ts';
import { workspace } from './workspaces.ts';

/** The most conditions in a filter, and values in a condition. */
export const MAX_CRITERIA = 50;

/** One condition of a saved filter. */
export const criterion = {
  attribute: {
    type: 'text',
    required: true,
    maxLength: 100,
    description: 'The attribute to compare, such as `email_address`.',
  },
  clause: {
    type: 'text',
    required: true,
    maxLength: 100,
    description: 'The comparison, such as `eq`, `sw` or `in`.',
  },
  value: {
    type: 'jsonb',
    optional: true,
    nullable: true,
    description:
      'The value to compare with, in the form that attribute and clause need: text, a number, true or false, a list of those, or a number of days before or after now. Null for a clause without a value.',
    schema: {
      anyOf: [
        { type: ['string', 'number', 'boolean'] },
        {
          type: 'object',
          properties: {
            days: {
              anyOf: [{ type: 'string', pattern: '^\\d{1,5}$' }, { type: 'integer' }],
              description: 'The number of days.',
            },
            modifier: {
              type: 'string',
              enum: ['ago', 'from_now'],
              description: 'The direction: before or after now.',
            },
          },
        },
        {
          type: 'array',
          items: { type: ['string', 'number', 'boolean'] },
        },
      ],
    },
  },
} as const satisfies Fields;

export interface Criterion extends RowOf<typeof criterion> {}

/** How a client writes the criteria of a saved filter, and reads of them in errors. */
export interface CriterionForms {
  /** The client's name for an attribute, clause or value. */
  word(stored: string): string;
  /** Whether clients can name the attribute. */
  hasAttribute(name: string): boolean;
  /** The form of ids of a noun; without one, of any noun. */
  idOf(noun: NounNames | undefined): Form<bigint | string>;
  /** A number of days before or after now, as the text after "must be". */
  readonly relative: string;
}

/** The criteria of a request, and how the client writes them. */
export interface RequestedCriteria {
  readonly given: readonly Criterion[];
  readonly forms: CriterionForms;
}

const textsOf = (words: Words, member: 'name' | 'description'): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(words).map(([value, word]) => [value, word[member]]));

export const refineFilter = describe({
  type: 'RefineFilter',
  graphqlName: 'SavedFilter',
  title: 'Saved filter',
  table: 'refine_filters',
  number: 5n,
  parent: workspace,
  plural: 'savedFilters',
  listDescription: 'The saved filters of the workspace. Unlike the REST list, it is always paginated.',
  parentDescription: 'The workspace that the filter belongs to.',
  path: 'refine_filters',
  scope: 'contacts',
  verbs: ['create', 'update', 'remove'],
  wrapper: 'refine_filter',
  topic: 'refine_filter',
  description: 'A saved filter: conditions that select contacts or other objects of the workspace.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: {
      type: 'text',
      nullable: true,
      writable: 'always',
      mustBe: 'text that is not blank',
      maxLength: 255,
      description: 'The name of the filter, unique in the workspace; or null.',
    },
    filterClass: {
      type: 'text',
      graphqlValues: Object.keys(FILTER_CLASSES),
      valuesName: 'SavedFilterClass',
      valueDescriptions: textsOf(FILTER_CLASSES, 'description'),
      synonyms: textsOf(FILTER_CLASSES, 'name'),
      writable: 'at_creation',
      default: 'ContactsFilter',
      emptyIsNull: true,
      maxLength: 100,
      description:
        'The class of objects that the filter selects, such as `ContactsFilter`. New classes may be added at any time.',
    },
    conjunction: {
      type: 'text',
      values: ['and', 'or'],
      valueDescriptions: { and: 'All conditions must hold.', or: 'At least one condition must hold.' },
      writable: 'always',
      default: 'and',
      description: 'Whether all conditions must hold (`and`) or one of them (`or`).',
    },
    criteria: {
      type: 'jsonb',
      items: criterion,
      itemType: 'FilterCriterion',
      writable: 'always',
      required: true,
      maxLength: MAX_CRITERIA,
      description: 'The conditions in order. Not paginated: a filter has few.',
    },
    createdAt: { type: 'timestamp', description: 'When the filter was first saved.' },
    updatedAt: { type: 'timestamp', description: 'When the filter was last changed.' },
  },
  filters: { name: { unique: true, index: 'refine_filters_workspace_id_name_key' } },
  sorts: ['createdAt', 'updatedAt'],
});

export interface RefineFilterRow extends Row<typeof refineFilter> {}
