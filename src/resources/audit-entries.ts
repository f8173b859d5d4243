// An audit entry: who changed what, with the state before and after.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { OF_TAGGING } from './tagging.ts';
import { workspace } from './workspaces.ts';

/** The state of the object, in its REST form. */
const DATA = { type: 'jsonb', nullable: true } as const;

export const auditEntry = describe({
  type: 'AuditEntry',
  title: 'Audit entry',
  table: 'audit_entries',
  number: 14n,
  parent: workspace,
  plural: 'auditEntries',
  listDescription: 'The audit trail of the workspace: every change, and who made it.',
  parentDescription: 'The workspace in which the change was made.',
  path: 'audit_entries',
  scope: 'account',
  gatewayOnly: true,
  numerous: true,
  description:
    'A change in a workspace: who made it, when, and the object before and after. An entry never changes, except that the erasure of a person blanks their data in it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    action: {
      type: 'text',
      description: 'The kind of change, such as `contact.updated` or `contacts/tag.deleted`.',
    },
    subjectType: {
      graphql: false,
      type: 'text',
      description:
        'The type of the changed object, such as `Contact`, `Contacts::Tag` or `ConditionalSplitStep`.',
    },
    subjectId: { type: 'int8', graphql: false, description: 'The integer id of the changed object.' },
    ...OF_TAGGING,
    actorKind: {
      type: 'text',
      values: ['api_key', 'oauth'],
      valueDescriptions: {
        api_key: 'The change was made with an API key.',
        oauth: 'The change was made with an OAuth access token.',
      },
      description: 'The kind of credential that made the change.',
    },
    actorId: {
      graphql: false,
      type: 'text',
      description:
        'The public id of the API key. For an access token, its `sub`: the public id of the user, or the id of a client that acts on its own behalf.',
    },
    clientId: {
      graphql: false,
      type: 'text',
      nullable: true,
      description: 'The id of the OAuth client to which the access token was issued.',
    },
    requestId: { type: 'text', description: 'The `X-Request-Id` of the request.' },
    before: {
      ...DATA,
      description:
        'The object before the change, in its REST form. Null if there was no object, if the data was erased, or if the caller may not read such objects: a contact, for example, needs `contacts:read`.',
    },
    after: {
      ...DATA,
      description:
        'The object after the change, in its REST form. Null if the object was deleted, if the data was erased, or if the caller may not read such objects.',
    },
    erasedAt: {
      type: 'timestamp',
      nullable: true,
      description:
        'When `before` and `after` were erased together with the contact whose data they contained.',
    },
    createdAt: { type: 'timestamp', description: 'When the change was made.' },
  },
  unchanging: true,
});

export interface AuditEntryRow extends Row<typeof auditEntry> {}
