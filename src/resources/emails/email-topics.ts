// The topic of e-mails: what broadcasts are about.
import { ARCHIVED, IDS, NAME, OF_WORKSPACE } from '../description/common-fields.ts';
import type { Field } from '../description/fields.ts';
import { describe } from '../description/resource.ts';
import { workspace } from '../workspaces.ts';

const ARCHIVING = {
  archived: { ...ARCHIVED.archived, gatewayOnly: true },
  archivedAt: { ...ARCHIVED.archivedAt, gatewayOnly: true },
} as const satisfies Record<string, Field>;

export const emailTopic = describe({
  type: 'EmailTopic',
  title: 'E-mail topic',
  table: 'email_topics',
  number: 130n,
  parent: workspace,
  plural: 'emailTopics',
  path: 'emails/topics',
  wrapper: 'emails_topic',
  scope: 'emails',
  topic: 'emails/topic',
  subjectType: 'Emails::Topic',
  verbs: ['create', 'update', 'archive', 'remove'],
  gatewayOnly: ['archive', 'unarchive'],
  listDescription: 'The e-mail topics of the workspace, archived ones too.',
  description:
    'What broadcasts are about, such as news of the shop. A topic that is no longer used is archived.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { ...NAME, description: 'The name of the topic.' },
    description: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 2_000,
      description: 'What people get who are interested in the topic.',
    },
    ...ARCHIVING,
    createdAt: { type: 'timestamp', description: 'When the topic was created.' },
    updatedAt: { type: 'timestamp', description: 'When the topic was last changed.' },
  },
  filters: {
    id: { unique: true },
    archived: { index: 'email_topics_workspace_id_archived_id_idx' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});
