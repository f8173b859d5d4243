// The template of e-mails: the texts with which broadcasts begin.
import { IDS, NAME, OF_WORKSPACE } from '../description/common-fields.ts';
import type { Field } from '../description/fields.ts';
import { describe } from '../description/resource.ts';
import { workspace } from '../workspaces.ts';

/** The texts of an e-mail, which a broadcast takes from its template. */
export const EMAIL_TEXTS = {
  subject: {
    type: 'text',
    nullable: true,
    writable: 'always',
    maxLength: 1_000,
    description: 'The subject of the e-mail.',
  },
  htmlBody: {
    type: 'text',
    nullable: true,
    writable: 'always',
    maxLength: 500_000,
    description: 'The body of the e-mail as HTML.',
  },
  textBody: {
    type: 'text',
    nullable: true,
    writable: 'always',
    maxLength: 500_000,
    description: 'The body of the e-mail as plain text, for readers without HTML.',
  },
} as const satisfies Record<string, Field>;

export const emailTemplate = describe({
  type: 'EmailTemplate',
  title: 'E-mail template',
  table: 'email_templates',
  number: 131n,
  parent: workspace,
  plural: 'emailTemplates',
  path: 'emails/templates',
  wrapper: 'emails_template',
  scope: 'emails',
  topic: 'emails/template',
  subjectType: 'Emails::Template',
  verbs: ['create', 'update', 'remove'],
  gatewayOnly: ['create', 'update', 'remove'],
  description:
    'The subject and the bodies with which a broadcast begins. A broadcast copies them, so later changes of the template do not reach it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { ...NAME, description: 'The name of the template.' },
    templateType: {
      graphqlName: 'type',
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'The type of the template, in words of the team, such as `newsletter`.',
    },
    subject: { ...EMAIL_TEXTS.subject, gatewayOnly: true },
    htmlBody: { ...EMAIL_TEXTS.htmlBody, gatewayOnly: true },
    textBody: { ...EMAIL_TEXTS.textBody, gatewayOnly: true },
    createdAt: { type: 'timestamp', description: 'When the template was created.' },
    updatedAt: { type: 'timestamp', description: 'When the template was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});
