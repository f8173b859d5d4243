// Fields that many nouns have.
import type { Field, Fields } from './fields.ts';
import { pluralOf } from './names.ts';
import type { Resource } from './resource.ts';

/** What clients do with a URL that is stored as it was sent: `javascript:` would run in a page that links it. */
export const UNCHECKED_URL = 'Not checked: link it only if it begins with `https://` or `http://`.';

/** The first fields of every noun. */
export const IDS = {
  id: { type: 'int8', description: 'The integer id, unique within the type.' },
  publicId: {
    type: 'text',
    description: 'The public id: six or more letters, which REST paths accept too.',
  },
} as const satisfies Fields;

/** A required name. */
export const NAME = {
  type: 'text',
  writable: 'always',
  required: true,
  maxLength: 255,
  description: 'The name of the object.',
} as const satisfies Field;

/** A text field that is always null, because the gateway has no such data. */
export const ALWAYS_NULL_TEXT = {
  graphql: false,
  type: 'text',
  nullable: true,
  description: 'Always null: the gateway does not have this information.',
} as const satisfies Field;

/** The field that follows the ids in every noun below a workspace. */
export const OF_WORKSPACE = {
  workspaceId: { type: 'int8', description: 'The integer id of its workspace.' },
} as const satisfies Fields;

/**
 * The fields of a noun that can be archived. Its verb is `archive`, which includes unarchiving. The column `archived` is generated from
 * `archived_at`.
 */
export const ARCHIVED = {
  archived: { type: 'bool', graphqlName: 'isArchived', description: 'Whether the object is archived.' },
  archivedAt: {
    type: 'timestamp',
    nullable: true,
    description: 'When the object was archived; null if it is not.',
  },
} as const satisfies Fields;

/** `archived` of a noun that is archived by a change of this field. GraphQL has mutations for it instead. */
export const WRITABLE_ARCHIVED = { ...ARCHIVED.archived, writable: 'always', graphql: 'output' } as const;

/**
 * The field of a noun whose objects are ordered below their parent. Its verb is `reorder`. The smallest position comes first, and new objects
 * come last. The removal of an object leaves a gap until the next reordering.
 */
export const ORDERED = {
  position: {
    type: 'int4',
    restName: 'sort_order',
    description: 'The position among the objects of the same parent. The smallest position comes first.',
  },
} as const satisfies Fields;

/** Whether objects of a noun have an order below their parent. */
export function isOrdered({ fields }: Pick<Resource, 'fields'>): boolean {
  return 'position' in fields;
}

/** The input to reorder the objects of a noun below one parent. */
export function orderFields({ type, graphqlName, title, table, most }: Resource): Fields {
  return {
    idsInOrder: {
      type: 'int8[]',
      idsOf: { type, title, table, ...(graphqlName !== undefined && { graphqlName }) },
      required: true,
      ...(most !== undefined && { maxLength: most }),
      description: `The integer ids of all ${pluralOf(title.toLowerCase())}, in their new order.`,
    },
  };
}

/** Whether objects of a noun can be archived: by its verb, or by a writable field `archived`. */
export function isArchivable({ fields }: Pick<Resource, 'fields'>): boolean {
  return 'archived' in fields && 'archivedAt' in fields;
}
