// The tag of a workspace’s contacts, and the fields that contacts show of their tags.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import type { Fields, RowOf } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { workspace } from './workspaces.ts';

/** The most tags that an object can have, since its list of tags is not paginated. */
export const MAX_TAGS = 200;

const NAME = { type: 'text', description: 'The name of the tag, unique in its workspace.' } as const;
const COLOR = { type: 'text', description: 'The colour of the tag as `#rrggbb`.' } as const;

const FIELDS = {
  ...IDS,
  ...OF_WORKSPACE,
  name: { ...NAME, writable: 'always', required: true, maxLength: 255 },
  color: { ...COLOR, format: 'color', writable: 'always', default: '#888888' },
  createdAt: { type: 'timestamp', description: 'When the tag was created.' },
  updatedAt: { type: 'timestamp', description: 'When the tag was last changed.' },
} as const satisfies Fields;

/** The common part of the labels of all nouns. */
export const LABEL = {
  parent: workspace,
  verbs: ['create', 'update', 'remove'],
  fields: FIELDS,
  sorts: ['createdAt', 'updatedAt', 'name'],
} as const;

export const tag = describe({
  ...LABEL,
  type: 'Tag',
  graphqlName: 'ContactTag',
  title: 'Tag',
  table: 'tags',
  number: 4n,
  plural: 'contactTags',
  parentDescription: 'The workspace of the tag.',
  path: 'contacts/tags',
  scope: 'contacts',
  wrapper: 'contacts_tag',
  description: 'A label for the contacts of a workspace. Deleting a tag removes it from all contacts.',
  topic: 'contacts/tag',
  subjectType: 'Contacts::Tag',
  filters: { id: { unique: true }, name: { unique: true, index: 'tags_workspace_id_name_key' } },
});

export interface TagRow extends Row<typeof tag> {}

/** A tag as part of a contact. */
export const tagOnObject = {
  id: IDS.id,
  publicId: IDS.publicId,
  name: NAME,
  color: COLOR,
  appliedAt: { type: 'timestamp', description: 'When the tag was applied to this object.' },
} as const satisfies Fields;

export interface TagOnObjectRow extends RowOf<typeof tagOnObject> {}
