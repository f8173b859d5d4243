// An audit entry: who changed what, with the state before and after.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
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
  listDescription: 'What was changed in the workspace, and by whom.',
  parentDescription: 'The workspace that it was changed in.',
  path: 'audit_entries',
  scope: 'account',
  numerous: true,
  description:
    'A change in a workspace: who made it, when, and the object before and after. An entry never changes, except that erasing a person blanks their data in it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    action: {
      type: 'text',
      description: 'What was done to what, such as `contact.updated` or `contacts/tag.deleted`.',
    },
    subjectType: {
      type: 'text',
      description: 'What was changed, such as `Contact`, `Contacts::Tag` or `ConditionalSplitStep`.',
    },
    subjectId: { type: 'int8', description: 'The integer id of what was changed.' },
    actorKind: {
      type: 'text',
      values: ['api_key', 'oauth'],
      description: 'Whether the change was made with an API key or an access token.',
    },
    actorId: {
      type: 'text',
      description:
        'The public id of the API key. For an access token its `sub`: the user’s public id, or the client’s id if it acts for itself.',
    },
    clientId: {
      type: 'text',
      nullable: true,
      description: 'The id of the OAuth client that the access token was issued to.',
    },
    requestId: { type: 'text', description: 'The `X-Request-Id` of the request.' },
    before: {
      ...DATA,
      description:
        'The object as REST showed it before the change. Null if there was none, if it was erased, and for a caller who may not read such objects: a contact, for example, needs `contacts:read`.',
    },
    after: {
      ...DATA,
      description: 'The same after the change. Null where `before` would be, and if nothing was left.',
    },
    erasedAt: {
      type: 'timestamp',
      nullable: true,
      description:
        'When `before` and `after` were erased, because the contact was erased whose data they held.',
    },
    createdAt: { type: 'timestamp', description: 'When the change was made.' },
  },
});

export interface AuditEntryRow extends Row<typeof auditEntry> {}
