// What an audit entry is: who changed what, and what it was like before and after.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

/** What it was like, in the form of REST. */
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
    'That something in a workspace was changed: by whom, when, and what it was like before and after. It is never changed, but for what is erased with a person.',
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
      description: 'Whether an API key changed it, or an access token did.',
    },
    actorId: {
      type: 'text',
      description:
        'The public id of the API key. Of an access token its `sub`: the user’s public id, or the client’s id where it acts for itself.',
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
        'The object as REST showed it before the change. Null where there was none, where it was erased, and for a caller who may not read such objects: of contacts and their tags that takes `contacts:read`, of conditional splits `funnels:read`.',
    },
    after: {
      ...DATA,
      description: 'The same after the change. Null where `before` would be, and where nothing was left.',
    },
    erasedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When `before` and `after` were erased, with the contact whose data they held.',
    },
    createdAt: { type: 'timestamp', description: 'When it was changed.' },
  },
});

export interface AuditEntryRow extends Row<typeof auditEntry> {}
