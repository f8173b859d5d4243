// The submission: what one contact has entered in a form, as answers to its fields.
import { contact } from '../contacts.ts';
import { IDS, OF_WORKSPACE } from '../description/common-fields.ts';
import type { RowOf } from '../description/fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { page } from '../pages.ts';
import { workspace } from '../workspaces.ts';
import { form, formField, formFieldOption, MAX_OPTIONS } from './forms.ts';

/** The most answers of one submission. */
const MAX_ANSWERS = 250;

/** The entry of an answer, and its options in either form. */
const ANSWER = {
  fieldId: {
    type: 'int8',
    refers: formField,
    writable: 'always',
    required: true,
    description: 'The integer id of the field that it answers, a field of the form.',
  },
  fieldsOptionIds: {
    graphqlName: 'optionIds',
    type: 'int8[]',
    refers: formFieldOption,
    writable: 'always',
    personal: true,
    default: [],
    distinct: true,
    maxLength: MAX_OPTIONS,
    description: 'The integer ids of the chosen options, which are options of the field.',
    rule: 'More than one only if the field allows it.',
    objectDescription: 'The chosen options of the field.',
  },
  entry: {
    type: 'text',
    nullable: true,
    writable: 'always',
    personal: true,
    maxLength: 5_000,
    description: 'What was entered as text; null if options were only chosen.',
    rule: 'The type of the field says which entries are valid. With contacts:write, an e-mail address identifies the contact of the submission while that is anonymous.',
  },
} as const;

/** The single option of an answer, as REST takes it beside the list. */
const OPTION_ID = {
  restName: 'fields_option_id',
  graphql: false,
  type: 'int8',
  nullable: true,
  idsOf: formFieldOption,
  description:
    'The integer id of the chosen option. It is added to `fields_option_ids`, if these are sent too.',
} as const;

/** The answers that are created with a submission. */
const NEW_ANSWER = {
  fieldId: ANSWER.fieldId,
  optionId: { ...OPTION_ID, optional: true },
  fieldsOptionIds: { ...ANSWER.fieldsOptionIds, optional: true },
  entry: { ...ANSWER.entry, optional: true },
} as const;

const { nullable: _, ...EMAIL_ADDRESS } = contact.fields.emailAddress;

export const formSubmission = describe({
  type: 'FormSubmission',
  title: 'Form submission',
  table: 'form_submissions',
  number: 114n,
  parent: form,
  plural: 'submissions',
  path: 'submissions',
  members: 'forms/submissions',
  lists: [
    {
      under: workspace,
      key: 'workspaceId',
      path: 'form_submissions',
      plural: 'formSubmissions',
      description: 'The submissions of all forms.',
      indexes: {
        contactId: 'form_submissions_workspace_id_contact_id_id_idx',
        pageId: 'form_submissions_workspace_id_page_id_id_idx',
      },
    },
    {
      under: contact,
      key: 'contactId',
      plural: 'formSubmissions',
      // A contact has few.
      indexes: {
        contactId: 'form_submissions_workspace_id_contact_id_id_idx',
        pageId: 'form_submissions_workspace_id_contact_id_id_idx',
      },
    },
  ],
  wrapper: 'forms_submission',
  scope: 'forms',
  topic: 'form_submission',
  verbs: ['create', 'update', 'remove'],
  events: ['created'],
  mayBeEmpty: true,
  description:
    'What a contact has entered in a form: an answer for each field that was filled in. A submission without a known contact has an anonymous one.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    formId: { type: 'int8', description: 'The integer id of its form.' },
    contactId: {
      type: 'int8',
      refers: contact,
      writable: 'always',
      handsOver: true,
      description: 'The integer id of the contact who has filled in the form.',
      rule: 'By default a new anonymous contact, which a later answer to an e-mail field identifies.',
      objectDescription: 'The contact who has filled in the form.',
    },
    pageId: {
      type: 'int8',
      nullable: true,
      refers: page,
      writable: 'at_creation',
      description: 'The integer id of the page on which the form was filled in.',
      objectDescription: 'The page on which the form was filled in.',
    },
    data: {
      type: 'jsonb',
      members: 'text',
      personal: true,
      description:
        'The answers as texts, by the keys of their fields. Options are shown by their labels; several texts are separated by commas.',
    },
    createdAt: { type: 'timestamp', description: 'When the form was filled in.' },
    updatedAt: {
      type: 'timestamp',
      description: 'When the submission or one of its answers was last changed.',
    },
  },
  inputs: {
    contactAttributes: {
      graphqlName: 'contact',
      type: 'json',
      object: {
        emailAddress: {
          ...EMAIL_ADDRESS,
          description:
            'The e-mail address that identifies the contact. A new contact is created if none has it.',
        },
      },
      choice: { idOf: 'contactId' },
      nullable: true,
      writable: 'at_creation',
      description:
        'The contact who has filled in the form, instead of its id. The contact is created if none has this e-mail address.',
      rule: 'An e-mail address needs contacts:write.',
    },
    answers: {
      restName: 'answers_attributes',
      type: 'json',
      items: NEW_ANSWER,
      itemType: 'FormSubmissionNewAnswer',
      writable: 'at_creation',
      maxLength: MAX_ANSWERS,
      description: 'The answers, which are created with the submission.',
    },
  },
  filters: {
    id: { unique: true },
    contactId: { index: 'form_submissions_workspace_id_form_id_contact_id_id_idx', untimed: true },
    pageId: { index: 'form_submissions_workspace_id_form_id_page_id_id_idx', untimed: true },
  },
  sorts: ['createdAt', 'updatedAt'],
});

export const formSubmissionAnswer = describe({
  type: 'FormSubmissionAnswer',
  title: 'Answer',
  table: 'form_submission_answers',
  number: 115n,
  parent: formSubmission,
  parentKey: 'submissionId',
  plural: 'answers',
  path: 'answers',
  members: 'forms/submissions/answers',
  wrapper: 'forms_submissions_answer',
  scope: 'forms',
  topic: 'forms/submissions/answer',
  subjectType: 'Forms::Submissions::Answer',
  verbs: ['create', 'update', 'remove'],
  most: MAX_ANSWERS,
  description: 'What was entered in one field of a form: a text, chosen options, or both.',
  fields: {
    ...IDS,
    formId: { type: 'int8', internal: true, description: 'The integer id of the form of its submission.' },
    submissionId: { type: 'int8', description: 'The integer id of its submission.' },
    fieldId: ANSWER.fieldId,
    fieldsOptionId: {
      type: 'int8',
      nullable: true,
      graphql: false,
      description: 'The integer id of the chosen option; null unless there is exactly one.',
    },
    fieldsOptionIds: ANSWER.fieldsOptionIds,
    entry: ANSWER.entry,
    createdAt: { type: 'timestamp', description: 'When the answer was given.' },
    updatedAt: { type: 'timestamp', description: 'When the answer was last changed.' },
  },
  inputs: { optionId: OPTION_ID },
  sorts: ['createdAt', 'updatedAt'],
});

export interface FormSubmissionRow extends Row<typeof formSubmission> {}
export interface FormSubmissionAnswerRow extends Row<typeof formSubmissionAnswer> {}
/** An answer in the input of a new submission. */
export interface NewAnswerRow extends RowOf<typeof NEW_ANSWER> {}
